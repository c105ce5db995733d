package org.vramkit.partition.scatter;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.BudgetTooSmallException;

/**
 * Runs work on several GPUs at once. A scatter divides the units into tiles, runs each tile on the
 * worker thread of its device, and waits for all tiles. A run succeeds only if every tile succeeds.
 * If a GPU fails, the {@link FailurePolicy} decides whether the CPU runs the whole batch or the
 * failed tile moves. A failure of user code is always thrown, after the tiles in progress have
 * ended. Safe for any thread. Concurrent runs share the workers, tile by tile.
 */
public final class Scatter implements AutoCloseable {
  private final Settings settings;
  private final Workers workers;
  private final Quarantine quarantine;
  private volatile boolean closed;

  Scatter(Settings settings, Workers workers) {
    this.settings = settings;
    this.workers = workers;
    this.quarantine = new Quarantine(settings.quarantine(), settings.clock());
  }

  /** Returns a builder for scatters over the devices of a pool. */
  public static ScatterBuilder builder(DevicePool pool) {
    return new ScatterBuilder(pool);
  }

  /** Returns a scatter over the devices of a pool with the default settings. */
  public static Scatter over(DevicePool pool) {
    return builder(pool).build();
  }

  /**
   * Runs {@code units} units, from 0, on GPUs only.
   *
   * @param units the number of units; 0 has no effect
   * @throws InvalidArgumentException if {@code units} is negative
   * @throws ScatterException if a GPU failed or there is none, the calling thread was interrupted,
   *     or the task threw a checked exception
   * @throws BudgetTooSmallException if no device has memory for one unit
   * @throws ClosedException if the scatter is closed, also if it is closed before all tiles have
   *     begun
   * @throws IllegalStateException if called from inside a tile of this scatter
   */
  public ScatterReport run(long units, TileTask task) {
    return run(Schedule.planned(), units, null, task);
  }

  /**
   * Runs {@code units} units, from 0, on the CPU if the GPUs fail.
   *
   * @param units the number of units; 0 has no effect
   * @param onCpu runs all units on the calling thread; tasks must not have modified the input
   * @throws InvalidArgumentException if {@code units} is negative
   * @throws ScatterException if the calling thread was interrupted, or a task threw a checked
   *     exception
   * @throws ClosedException if the scatter is closed, also if it is closed before all tiles have
   *     begun
   * @throws IllegalStateException if called from inside a tile of this scatter
   */
  public ScatterReport run(long units, CpuTask onCpu, TileTask task) {
    return run(Schedule.planned(), units, Objects.requireNonNull(onCpu, "onCpu"), task);
  }

  /**
   * Runs {@code units} units, from 0, by a schedule, on GPUs only.
   *
   * @see #run(long, TileTask)
   * @throws InvalidArgumentException also if the schedule does not match the units
   */
  public ScatterReport run(long units, Schedule schedule, TileTask task) {
    return run(schedule, units, null, task);
  }

  /**
   * Runs {@code units} units, from 0, by a schedule. If the GPUs fail, the CPU runs all units under
   * a {@linkplain Schedule#planned planned} schedule, otherwise the unfinished units, range by
   * range.
   *
   * @param onCpu may be called several times with different units, on the calling thread, or on a
   *     worker thread if the schedule has the {@linkplain Schedule#withCpu CPU as a device}
   * @see #run(long, CpuTask, TileTask)
   * @throws InvalidArgumentException also if the schedule does not match the units
   */
  public ScatterReport run(long units, Schedule schedule, CpuTask onCpu, TileTask task) {
    return run(schedule, units, Objects.requireNonNull(onCpu, "onCpu"), task);
  }

  private ScatterReport run(Schedule schedule, long units, @Nullable CpuTask onCpu, TileTask task) {
    Objects.requireNonNull(task, "task");
    // Check before planning: a failing plan would look like a GPU failure.
    if (units < 0) {
      throw new InvalidArgumentException(
          "cannot scatter " + units + " units: their number must be 0 or more");
    }
    requireUsable();
    return new ScatterRun(settings, workers, quarantine, () -> closed, units, schedule, onCpu, task)
        .run();
  }

  private void requireUsable() {
    if (closed) {
      throw new ClosedException("the scatter", "it runs no more tasks", "create a new one");
    }
    if (workers.isInside()) {
      throw new IllegalStateException(
          "a tile cannot run another scatter over the same workers, which are busy with it; use a"
              + " second Scatter, or do the work in the tile");
    }
  }

  /** Returns the ordinals of quarantined devices, which get no work because they failed. */
  public List<Integer> getQuarantined() {
    return quarantine.getOrdinals();
  }

  /** Ends the quarantine of a device early. Has no effect if the device is not quarantined. */
  public void release(int ordinal) {
    quarantine.lift(ordinal);
  }

  /**
   * Shuts the workers down after their current tiles. Repeated calls have no effect.
   *
   * @throws ScatterException if a tile does not end within the drain deadline, if the calling
   *     thread is interrupted (its interrupt flag is set again), or if the calling thread runs a
   *     tile of this scatter; the workers then end later
   */
  @Override
  public void close() {
    closed = true;
    workers.shutdown();
    if (workers.isInside()) {
      throw new ScatterException(
          "closed from inside a tile, for which close() cannot wait; the workers end after their"
              + " tiles",
          null);
    }
    boolean ended;
    try {
      ended = workers.awaitEnd(settings.drainDeadline());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScatterException(
          "interrupted while tiles were in progress; the workers end after their tiles", e);
    }
    if (!ended) {
      throw new ScatterException(
          "a tile did not end within the drain deadline of"
              + " "
              + settings.drainDeadline()
              + "; its worker ends after it",
          null);
    }
  }
}
