package org.vramkit.partition.scatter;

import java.time.Duration;
import java.util.Objects;
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
  private DeviceBinder binder = DeviceBinder.BY_BACKEND;

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
   * What happens when a GPU fails.
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

  /** Another way to make a device current on its worker, for tests. */
  ScatterBuilder deviceBinder(DeviceBinder way) {
    binder = way;
    return this;
  }

  /** The scatter, for the caller to close. */
  public Scatter build() {
    return new Scatter(
        pool,
        new Planner(partitioner, bytesPerUnit),
        failurePolicy,
        drainDeadline,
        binder,
        new Workers());
  }
}
