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

/** Settings of a {@link Scatter}. Not safe for threads. */
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
  private ThroughputBook book = new ThroughputBook();
  private ProgressListener listener = ProgressListener.NONE;
  private Pace pace = Pace.REAL;

  ScatterBuilder(DevicePool pool) {
    this.pool = Objects.requireNonNull(pool, "pool");
  }

  /**
   * How units are rounded.
   *
   * @param way default {@link Partitioner#FASTEST_FINISH}
   */
  public ScatterBuilder partitioner(Partitioner way) {
    partitioner = Objects.requireNonNull(way, "way");
    return this;
  }

  /**
   * Device memory that one unit needs, so that no tile is larger than its device's budget.
   *
   * @param bytes default 0: memory does not matter
   */
  public ScatterBuilder bytesPerUnit(long bytes) {
    bytesPerUnit = new Planner(partitioner, bytes).bytesPerUnit();
    return this;
  }

  /**
   * Sets the reaction to a GPU that fails.
   *
   * @param policy default {@link FailurePolicy#ALL_ON_CPU}
   */
  public ScatterBuilder failurePolicy(FailurePolicy policy) {
    failurePolicy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /**
   * How long a scatter that has failed or was interrupted waits for tasks that are under way, all
   * of them together. A task that does not return in time is named in what the scatter throws. It
   * may still write its units, and its device's worker does nothing else until it returns, so that
   * later scatters wait for it too; then its stream is waited for and closed. Work that hangs on a
   * device, not in its task, is waited for without limit: no driver can take it back.
   *
   * @param time default 30 seconds; more than zero
   */
  public ScatterBuilder drainDeadline(Duration time) {
    Objects.requireNonNull(time, "time");
    if (time.isNegative() || time.isZero()) {
      throw new InvalidArgumentException("drain deadline must be more than zero, not " + time);
    }
    drainDeadline = time;
    return this;
  }

  /**
   * How long a device that failed gets no more work, unless {@link Scatter#release} is called.
   *
   * @param time default 1 minute; more than zero
   */
  public ScatterBuilder quarantine(Duration time) {
    Objects.requireNonNull(time, "time");
    if (time.isNegative() || time.isZero()) {
      throw new InvalidArgumentException("quarantine must be more than zero, not " + time);
    }
    quarantine = time;
    return this;
  }

  /**
   * Sets the source of the allocators that tasks find for their device. What it keeps free counts
   * as free in the device's budget, so tasks should take their memory from it.
   *
   * @param suppliers called for each device of the pool, often; the caller owns what it returns
   */
  public ScatterBuilder allocators(Function<Device, Allocator> suppliers) {
    allocators = Objects.requireNonNull(suppliers, "suppliers");
    return this;
  }

  /**
   * Sets the source of the workspaces that tasks find for their device.
   *
   * @param suppliers called for each device of the pool, often; the caller owns what it returns
   */
  public ScatterBuilder workspaces(Function<Device, Workspace> suppliers) {
    workspaces = Objects.requireNonNull(suppliers, "suppliers");
    return this;
  }

  /**
   * Sets the book of the rates that devices show under a guided schedule.
   *
   * @param rates default an empty book of this scatter's own
   */
  public ScatterBuilder book(ThroughputBook rates) {
    book = Objects.requireNonNull(rates, "rates");
    return this;
  }

  /**
   * Sets the listener of units that are done.
   *
   * @param hears default none
   */
  public ScatterBuilder listener(ProgressListener hears) {
    listener = Objects.requireNonNull(hears, "hears");
    return this;
  }

  /** Another clock, for tests. */
  ScatterBuilder pace(Pace clock) {
    pace = clock;
    return this;
  }

  /** Another way to make a device current on its worker, for tests. */
  ScatterBuilder deviceBinder(DeviceBinder way) {
    binder = way;
    return this;
  }

  /** The scatter, for the caller to close. */
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
        new DeviceParts(given, workspaces),
        book,
        listener,
        pace);
  }
}
