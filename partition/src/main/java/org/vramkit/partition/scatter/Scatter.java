package org.vramkit.partition.scatter;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.BudgetTooSmallException;
import org.vramkit.partition.plan.Tile;

/**
 * Runs work on several GPUs at once. A scatter divides the units into tiles, runs each tile on the
 * worker thread of its device, and waits for all tiles. A run succeeds only if every tile succeeds.
 * If a GPU fails, the {@link FailurePolicy} decides whether the CPU runs the whole batch or the
 * failed tile moves. A failure of user code is always thrown, after the tiles in progress have
 * ended. Safe for any thread. Concurrent runs share the workers, tile by tile.
 */
/*
 * How a planned scatter runs (a guided one is described in GuidedRun)
 * ==================================================================
 * The rounds of the plan run one after another. Each tile goes to its worker, which runs the user's
 * task; the task submits work to the tile's stream. When all tasks of the round have returned, the
 * calling thread waits for the streams in the order of tiles. If there is a CPU task, the results of
 * ScatterArrays are written into the array once all rounds are done, so that the CPU finds the
 * original elements after a failure. A worker never waits for another tile, so two scatters over the
 * same devices cannot deadlock. A task that runs a second Scatter blocks its worker; if that run nests
 * a run of the first Scatter, it is refused. Two threads that nest the same two scatters in opposite
 * order are not detected and can deadlock, as with two locks.
 *
 * Failures
 * --------
 *   out of memory in the task   the worker halves the tile, down to one unit
 *   other GpuException          by policy: CPU, or one other device that did not fail in the same round,
 *                               then the CPU; rounds that use a failed device are planned again
 *   fatal error                 all devices of the process are lost: CPU; the report says so
 *   anything else               a failure of user code: the other tiles are cancelled and drained, and it
 *                               is thrown, errors before exceptions, then by lowest tile, with the others
 *                               suppressed; a tile that cannot be started is treated alike
 *   interrupt of the caller     as above, unless user code failed before
 *   tile that does not end      by the drain deadline: suppressed; its worker releases its resources when
 *                               it ends
 */
public final class Scatter implements AutoCloseable {
  private final Settings settings;
  private final DevicePool pool;
  private final Workers workers;
  private final Quarantine quarantine;
  private volatile boolean closed;

  Scatter(Settings settings, Workers workers) {
    this.settings = settings;
    this.pool = settings.pool();
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
    return schedule.isPlanned()
        ? new Attempt(PendingUnits.without(schedule.finished(), units), units, onCpu, task).run()
        : new GuidedRun(settings, workers, quarantine, () -> closed, units, schedule, onCpu, task)
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

  /** One run of a planned schedule. */
  private final class Attempt {
    private final List<Piece> left;
    private final long units;
    private final @Nullable CpuTask onCpu;
    private final TileTask task;
    private final Progress progress = new Progress();
    private final List<ChunkRun> report = new ArrayList<>();

    /** The completed tiles whose results are taken over once all tiles are done. */
    private final List<TileRun> complete = new ArrayList<>();

    private final long start = System.nanoTime();
    private long finishedUnits;
    private int moves;

    Attempt(List<Piece> left, long units, @Nullable CpuTask onCpu, TileTask task) {
      this.left = left;
      this.units = units;
      this.onCpu = onCpu;
      this.task = task;
      this.finishedUnits = units - left.stream().mapToLong(Piece::units).sum();
    }

    ScatterReport run() {
      try {
        return runToEnd();
      } finally {
        dropResults();
      }
    }

    private void dropResults() {
      Batch.forEach(complete, TileRun::end);
      complete.clear();
    }

    private ScatterReport runToEnd() {
      List<Tile> done = new ArrayList<>();
      try {
        int index = 0;
        for (Piece piece : left) {
          index = runOnGpus(piece, index, done);
        }
      } catch (GpusFailedException e) {
        return takeOver(e);
      }
      complete.forEach(TileRun::takeResults);
      // Reported only now, because after a failure the CPU would have run all tiles again.
      done.forEach(this::reportDone);
      return report(done, false, "");
    }

    private ScatterReport report(List<Tile> done, boolean onCpu, String reason) {
      return new ScatterReport(
          done, onCpu, reason, progress.halvings(), moves, report, System.nanoTime() - start);
    }

    /** Runs a piece on GPUs and returns the index of the next tile. */
    private int runOnGpus(Piece piece, int first, List<Tile> done) throws GpusFailedException {
      Deque<List<Tile>> rounds = plan(piece.from(), piece.to());
      int index = first;
      while (!rounds.isEmpty()) {
        List<Tile> round = rounds.remove();
        if (round.stream().anyMatch(tile -> quarantine.contains(tile.ordinal()))) {
          // A device has failed since planning, in this run or in another thread's.
          rounds = plan(round.get(0).from(), piece.to());
        } else {
          settle(perform(round, index), done);
          index += round.size();
        }
      }
      return index;
    }

    /** Plans the remaining units over the usable devices. */
    private Deque<List<Tile>> plan(long from, long to) throws GpusFailedException {
      DevicePool usable = pool.without(quarantine.getOrdinals());
      if (to > from && usable.getCount() == 0) {
        throw new GpusFailedException("there is no usable device", null);
      }
      try {
        return new ArrayDeque<>(settings.planner().plan(usable, from, to - from).rounds());
      } catch (BudgetTooSmallException e) {
        throw new GpusFailedException(e.toString(), e);
      } catch (GpuException e) {
        throw new GpusFailedException("planning failed: " + e, e);
      }
    }

    /** Runs tiles until all have ended, and leaves GPU failures to the policy. */
    private List<TileRun> perform(List<Tile> tiles, int first) {
      List<TileRun> runs = new ArrayList<>();
      for (Tile tile : tiles) {
        Device device = deviceOf(tile);
        runs.add(
            new TileRun(
                tile,
                first + runs.size(),
                device,
                settings.binder(),
                settings.parts(),
                task,
                progress));
      }
      Round round = new Round(runs, progress, settings.drainDeadline());
      try {
        round.perform(workers);
      } finally {
        round.ended().forEach(this::sortOut);
      }
      return runs;
    }

    /**
     * Takes the results of a tile that is done, or keeps them while the CPU may run its units
     * again. Drops those of a failed tile.
     */
    private void sortOut(TileRun run) {
      quarantineIfFaulty(run);
      if (run.isDone() && onCpu != null) {
        complete.add(run);
        return;
      }
      try {
        if (run.isDone()) {
          run.takeResults();
        }
      } finally {
        run.end();
      }
    }

    private Device deviceOf(Tile tile) {
      return pool.getDevices().stream()
          .filter(each -> each.getOrdinal() == tile.ordinal())
          .findFirst()
          .orElseThrow()
          .device();
    }

    /** Records completed tiles and applies the policy to failed ones. */
    private void settle(List<TileRun> runs, List<Tile> done) throws GpusFailedException {
      List<TileRun> failed = runs.stream().filter(run -> run.gpuFailure() != null).toList();
      if (!failed.isEmpty()) {
        giveUpUnlessMovable(failed);
      }
      List<Integer> failedOrdinals = failed.stream().map(run -> run.tile.ordinal()).toList();
      for (TileRun run : runs) {
        GpuException failure = run.gpuFailure();
        try {
          report.add(run.report(1, start));
          Tile tile = failure == null ? requireDone(run) : move(run, failure, failedOrdinals);
          done.add(tile);
        } catch (GpusFailedException e) {
          throw withAll(failed, e);
        }
      }
    }

    /** Reports completed units to the listener. */
    private void reportDone(Tile tile) {
      finishedUnits += tile.getUnits();
      settings.listener().finished(tile, finishedUnits, units);
    }

    private void giveUpUnlessMovable(List<TileRun> failed) throws GpusFailedException {
      TileRun worst = failed.get(0);
      for (TileRun run : failed) {
        if (run.gpuFailure() instanceof FatalDeviceException
            && !(worst.gpuFailure() instanceof FatalDeviceException)) {
          worst = run;
        }
      }
      GpuException failure = Objects.requireNonNull(worst.gpuFailure());
      if (settings.failurePolicy() != FailurePolicy.MOVE_TILE
          || failure instanceof FatalDeviceException) {
        throw withAll(failed, new GpusFailedException(describe(worst, failure), failure));
      }
    }

    private GpusFailedException withAll(List<TileRun> failed, GpusFailedException why) {
      Throwable primary = Objects.requireNonNull(why.getCause());
      failed.forEach(run -> Failures.suppress(primary, run.gpuFailure()));
      return why;
    }

    /** Quarantines a device that failed, except for lack of memory. */
    private void quarantineIfFaulty(TileRun run) {
      GpuException failure = run.gpuFailure();
      if (settings.failurePolicy() == FailurePolicy.MOVE_TILE
          && failure != null
          && !(failure instanceof DeviceOutOfMemoryException)
          && !(failure instanceof FatalDeviceException)) {
        quarantine.add(run.tile.ordinal());
      }
    }

    private Tile requireDone(TileRun run) {
      if (!run.isDone()) {
        throw new ScatterException("tile " + run.tile + " was cancelled", null);
      }
      return run.tile;
    }

    /**
     * Retries a failed tile on the best other device.
     *
     * @param failedOrdinals devices that failed in the same round
     */
    private Tile move(TileRun failed, GpuException failure, List<Integer> failedOrdinals)
        throws GpusFailedException {
      List<Integer> others =
          pool.without(quarantine.getOrdinals()).without(failedOrdinals).getOrdinals();
      if (others.isEmpty()) {
        throw new GpusFailedException(describe(failed, failure), failure);
      }
      Tile there = new Tile(others.get(0), failed.tile.from(), failed.tile.to());
      TileRun second;
      try {
        second = perform(List.of(there), failed.index).get(0);
      } catch (RuntimeException | Error e) {
        Failures.suppress(e, failure);
        throw e;
      }
      report.add(second.report(2, start));
      GpuException again = second.gpuFailure();
      if (again != null) {
        GpuException worst = again instanceof FatalDeviceException ? again : failure;
        Failures.suppress(worst, worst == again ? failure : again);
        throw new GpusFailedException(
            describe(failed, failure) + "; and on device " + there.ordinal() + ": " + again, worst);
      }
      moves++;
      return requireDone(second);
    }

    private String describe(TileRun run, GpuException failure) {
      return "tile " + run.tile + " failed: " + failure;
    }

    private ScatterReport takeOver(GpusFailedException why) {
      Throwable failure = why.getCause();
      if (onCpu == null) {
        throw why.unchecked();
      }
      dropResults();
      try {
        for (Piece piece : left) {
          onCpu.run(piece.from(), piece.to());
          reportDone(new Tile(Tile.CPU, piece.from(), piece.to()));
        }
      } catch (Throwable e) {
        if (e instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        Failures.suppress(e, failure);
        throw Failures.unchecked("the CPU task", e);
      }
      return report(List.of(), true, why.reason());
    }
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
