package org.vramkit.partition.scatter;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Partitioner;
import org.vramkit.partition.plan.Planner;

/** Builds a {@link Scatter}. Not thread-safe. */
public final class ScatterBuilder {
  private final DevicePool pool;
  private Partitioner partitioner = Partitioner.FASTEST_FINISH;
  private long bytesPerUnit;
  private FailurePolicy failurePolicy = FailurePolicy.ALL_ON_CPU;
  private Duration drainDeadline = Duration.ofSeconds(30);
  private Duration quarantine = Duration.ofMinutes(1);
  private DeviceBinder binder = DeviceBinder.BY_BACKEND;
  private @Nullable Function<Device, Allocator> allocators;
  private @Nullable Function<Device, Workspace> workspaces;
  private ThroughputHistory history = new ThroughputHistory();
  private ProgressListener listener = ProgressListener.NONE;
  private ScatterClock clock = ScatterClock.REAL;

  ScatterBuilder(DevicePool pool) {
    this.pool = Objects.requireNonNull(pool, "pool");
  }

  /**
   * Sets the partitioner that divides units by scores.
   *
   * @param way the partitioner; default {@link Partitioner#FASTEST_FINISH}
   */
  public ScatterBuilder partitioner(Partitioner way) {
    partitioner = Objects.requireNonNull(way, "way");
    return this;
  }

  /**
   * Sets the device memory that one unit needs, so that no tile exceeds its device's budget.
   *
   * @param bytes bytes per unit; default 0, no limit
   */
  public ScatterBuilder bytesPerUnit(long bytes) {
    bytesPerUnit = new Planner(partitioner, bytes).bytesPerUnit();
    return this;
  }

  /**
   * Sets the reaction to a GPU that fails.
   *
   * @param policy the policy; default {@link FailurePolicy#ALL_ON_CPU}
   */
  public ScatterBuilder failurePolicy(FailurePolicy policy) {
    failurePolicy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /**
   * Sets how long a failed or interrupted scatter waits in total for tasks in progress. The
   * exception names each task that does not return in time. Such a task may still write its units,
   * and blocks its device's worker, also for later scatters, until it returns. Then its stream is
   * awaited and closed. Work that hangs on a device after its task has returned is awaited without
   * limit, because no driver can cancel it.
   *
   * @param time the deadline, more than zero; default 30 seconds
   */
  public ScatterBuilder drainDeadline(Duration time) {
    Objects.requireNonNull(time, "time");
    if (time.isNegative() || time.isZero()) {
      throw new InvalidArgumentException("the drain deadline must be more than zero, not " + time);
    }
    drainDeadline = time;
    return this;
  }

  /**
   * Sets how long a failed device gets no work, unless {@link Scatter#release} is called.
   *
   * @param time the duration, more than zero; default 1 minute
   */
  public ScatterBuilder quarantine(Duration time) {
    Objects.requireNonNull(time, "time");
    if (time.isNegative() || time.isZero()) {
      throw new InvalidArgumentException("the quarantine must be more than zero, not " + time);
    }
    quarantine = time;
    return this;
  }

  /**
   * Sets the allocators of the devices. The free memory of an allocator counts as free in its
   * device's budget, so tasks should allocate from it.
   *
   * @param suppliers called often, for each device of the {@link DevicePool}; the caller keeps
   *     ownership of the returned objects
   */
  public ScatterBuilder allocators(Function<Device, Allocator> suppliers) {
    allocators = Objects.requireNonNull(suppliers, "suppliers");
    return this;
  }

  /**
   * Sets the workspaces of the devices.
   *
   * @param suppliers called often, for each device of the {@link DevicePool}; the caller keeps
   *     ownership of the returned objects
   */
  public ScatterBuilder workspaces(Function<Device, Workspace> suppliers) {
    workspaces = Objects.requireNonNull(suppliers, "suppliers");
    return this;
  }

  /**
   * Sets the history of rates that guided schedules read and update.
   *
   * @param rates the history; default an empty one for this scatter
   */
  public ScatterBuilder throughputHistory(ThroughputHistory rates) {
    history = Objects.requireNonNull(rates, "rates");
    return this;
  }

  /**
   * Sets the listener of completed units.
   *
   * @param progressListener the listener; default {@link ProgressListener#NONE}
   */
  public ScatterBuilder listener(ProgressListener progressListener) {
    listener = Objects.requireNonNull(progressListener, "progressListener");
    return this;
  }

  /** Sets another clock, for tests. */
  ScatterBuilder clock(ScatterClock scatterClock) {
    clock = scatterClock;
    return this;
  }

  /** Sets another device binder, for tests. */
  ScatterBuilder deviceBinder(DeviceBinder way) {
    binder = way;
    return this;
  }

  /** Creates the scatter, for the caller to close. */
  public Scatter build() {
    return new Scatter(settings(), new Workers());
  }

  Settings settings() {
    Function<Device, Allocator> given = allocators;
    return new Settings(
        given == null ? pool : pool.withAllocators(given),
        new Planner(partitioner, bytesPerUnit),
        failurePolicy,
        drainDeadline,
        quarantine,
        binder,
        new TileResources(given, workspaces),
        history,
        listener,
        clock);
  }
}
