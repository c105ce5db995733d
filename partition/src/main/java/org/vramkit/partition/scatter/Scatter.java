package org.vramkit.partition.scatter;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.BudgetTooSmallException;
import org.vramkit.partition.plan.Tile;

/**
 * Does work on several GPUs at once: divides the units, runs each tile on the worker thread of its
 * device, and waits for all. It succeeds only if every tile did. When a GPU fails, the CPU does the
 * whole batch, or the failed tile moves, see {@link FailurePolicy}; a failure of the user's own
 * code is never covered up that way but thrown, after the tiles under way have ended. Safe for any
 * thread; scatters of several threads share the workers, tile by tile.
 */
/*
 * How a planned scatter runs (a guided one is described in GuidedRun)
 * ==================================================================
 *
 * A round of the plan after the other: its tiles go to the workers, each runs the user's task, which
 * submits work to the tile's stream. When all tasks of the round have returned, the calling thread
 * waits for the streams in the order of tiles. A worker never waits for another tile, so two
 * scatters over the same devices cannot wait for each other. A task that scatters over a second
 * Scatter makes its worker wait; if that comes back to the first one it is refused. Two threads that
 * nest the same two scatters the opposite way round are not seen, and can wait for each other, as
 * they could over two locks.
 *
 * Failures
 * --------
 *   out of memory in the task   the worker halves the tile, down to one unit
 *   other GpuException          by policy: CPU, or one other device and then the CPU
 *                               (never one that failed in the same round); rounds that would use a
 *                               device that failed are planned anew
 *   fatal error                 all devices of the process are lost: CPU, and said plainly
 *   anything else               the user's: others are cancelled, drained, and it is thrown, errors
 *                               before exceptions, the one of the lowest tile first, the others
 *                               suppressed; so is what keeps a tile from being started
 *   interrupt of the caller     as above, if nothing of the user's failed before it
 *   tile that does not end      after the others were cancelled: suppressed; its worker keeps what it
 *                               holds, and gives it back when it ends
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
    this.quarantine = new Quarantine(settings.quarantine(), settings.pace());
  }

  /** Settings for scatters over the devices of a pool. */
  public static ScatterBuilder builder(DevicePool pool) {
    return new ScatterBuilder(pool);
  }

  /** Scatters with the default settings. */
  public static Scatter over(DevicePool pool) {
    return builder(pool).build();
  }

  /**
   * Does the units from 0 on, on GPUs only.
   *
   * @param units how many; 0 does nothing
   * @throws InvalidArgumentException if the units are negative
   * @throws ScatterException if a GPU failed or there is none, the caller was interrupted, or the
   *     task threw a checked exception
   * @throws BudgetTooSmallException if no device has memory for one unit
   * @throws ClosedException if the scatter is closed, or was so before all tiles had begun
   * @throws IllegalStateException from inside a tile of this scatter
   */
  public ScatterReport run(long units, TileTask task) {
    return run(Schedule.planned(), units, null, task);
  }

  /**
   * Does the units from 0 on, on the CPU if the GPUs cannot.
   *
   * @param units how many; 0 does nothing
   * @param onCpu does all units, on the calling thread; the input must be as it was before
   * @throws InvalidArgumentException if the units are negative
   * @throws ScatterException if the caller was interrupted, or either task threw a checked
   *     exception
   * @throws ClosedException if the scatter is closed, or was so before all tiles had begun
   * @throws IllegalStateException from inside a tile of this scatter
   */
  public ScatterReport run(long units, CpuTask onCpu, TileTask task) {
    return run(Schedule.planned(), units, Objects.requireNonNull(onCpu, "onCpu"), task);
  }

  /**
   * Does the units from 0 on by a schedule, on GPUs only.
   *
   * @see #run(long, TileTask)
   * @throws InvalidArgumentException also if the schedule does not fit the units
   */
  public ScatterReport run(long units, Schedule schedule, TileTask task) {
    return run(schedule, units, null, task);
  }

  /**
   * Does the units from 0 on by a schedule. The CPU does what the GPUs cannot: all units if the
   * schedule is {@linkplain Schedule#planned planned}, else those that are left, range by range.
   *
   * @param onCpu may be called several times, for other units each time; on the calling thread, or
   *     on one of its own if the schedule has the {@linkplain Schedule#withCpu CPU as a device}
   * @see #run(long, CpuTask, TileTask)
   * @throws InvalidArgumentException also if the schedule does not fit the units
   */
  public ScatterReport run(long units, Schedule schedule, CpuTask onCpu, TileTask task) {
    return run(schedule, units, Objects.requireNonNull(onCpu, "onCpu"), task);
  }

  private ScatterReport run(Schedule schedule, long units, @Nullable CpuTask onCpu, TileTask task) {
    Objects.requireNonNull(task, "task");
    // Before anything is planned: a plan that fails would pass for a GPU that did.
    if (units < 0) {
      throw new InvalidArgumentException(
          "cannot scatter " + units + " units: their number must be 0 or more");
    }
    requireUsable();
    return schedule.isPlanned()
        ? new Attempt(Remainder.without(schedule.finished(), units), units, onCpu, task).run()
        : new GuidedRun(settings, workers, quarantine, () -> closed, units, schedule, onCpu, task)
            .run();
  }

  private void requireUsable() {
    if (closed) {
      throw new ClosedException("the scatter", "it runs no tasks any more", "make a new one");
    }
    if (workers.isInside()) {
      throw new IllegalStateException(
          "a tile of a scatter cannot scatter again over the same workers, which are busy with"
              + " it; use a second Scatter, or do the work in the tile");
    }
  }

  /** Ordinals of devices that get no more work because they failed. */
  public List<Integer> getQuarantined() {
    return quarantine.getOrdinals();
  }

  /** Lets a device have work again before its quarantine is over; harmless if it is in none. */
  public void release(int ordinal) {
    quarantine.lift(ordinal);
  }

  /** One scatter. */
  private final class Attempt {
    private final List<Piece> left;
    private final long units;
    private final @Nullable CpuTask onCpu;
    private final TileTask task;
    private final Progress progress = new Progress();
    private final List<ChunkRun> report = new ArrayList<>();
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
      List<Tile> done = new ArrayList<>();
      try {
        int index = 0;
        for (Piece piece : left) {
          index = runOnGpus(piece, index, done);
        }
      } catch (GpusFailedException e) {
        return takeOver(e);
      }
      // Not before: a failure would have had the CPU do all of them again.
      done.forEach(this::tell);
      return report(done, false, "");
    }

    private ScatterReport report(List<Tile> done, boolean onCpu, String reason) {
      return new ScatterReport(
          done, onCpu, reason, progress.halvings(), moves, report, System.nanoTime() - start);
    }

    /** Returns the index of the tile that comes next. */
    private int runOnGpus(Piece piece, int first, List<Tile> done) throws GpusFailedException {
      Deque<List<Tile>> rounds = plan(piece.from(), piece.to());
      int index = first;
      while (!rounds.isEmpty()) {
        List<Tile> round = rounds.remove();
        if (round.stream().anyMatch(tile -> quarantine.contains(tile.ordinal()))) {
          // A device has failed since this was planned, here or in a scatter of another thread.
          rounds = plan(round.get(0).from(), piece.to());
        } else {
          settle(perform(round, index), done);
          index += round.size();
        }
      }
      return index;
    }

    /** Rounds for the units that are left, by what is usable now. */
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
        throw new GpusFailedException("the work cannot be planned: " + e, e);
      }
    }

    /** Runs tiles to their ends; what failed by its GPU is for the policy. */
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
        round.ended().forEach(this::quarantineIfSick);
      }
      return runs;
    }

    private Device deviceOf(Tile tile) {
      return pool.getDevices().stream()
          .filter(each -> each.getOrdinal() == tile.ordinal())
          .findFirst()
          .orElseThrow()
          .device();
    }

    /** Notes what is done, and deals by the policy with what failed. */
    private void settle(List<TileRun> runs, List<Tile> done) throws GpusFailedException {
      List<TileRun> failed = runs.stream().filter(run -> run.gpuFailure() != null).toList();
      if (!failed.isEmpty()) {
        giveUpUnlessMovable(failed);
      }
      List<Integer> sick = failed.stream().map(run -> run.tile.ordinal()).toList();
      for (TileRun run : runs) {
        GpuException failure = run.gpuFailure();
        try {
          report.add(run.report(1, start));
          Tile tile = failure == null ? requireDone(run) : move(run, failure, sick);
          done.add(tile);
        } catch (GpusFailedException e) {
          throw withAll(failed, e);
        }
      }
    }

    /** No device does these units again. */
    private void tell(Tile tile) {
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

    /** A device that has too little memory for one tile is not sick. */
    private void quarantineIfSick(TileRun run) {
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
     * Does a failed tile once more, on the best other device.
     *
     * @param sick devices that failed in the same round
     */
    private Tile move(TileRun failed, GpuException failure, List<Integer> sick)
        throws GpusFailedException {
      List<Integer> others = pool.without(quarantine.getOrdinals()).without(sick).getOrdinals();
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
      try {
        for (Piece piece : left) {
          onCpu.run(piece.from(), piece.to());
          tell(new Tile(Tile.CPU, piece.from(), piece.to()));
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
   * Ends the workers once the tiles that they have are done. Harmless when repeated.
   *
   * @throws ScatterException if a tile does not end within the drain deadline, or the caller, which
   *     stays so, was interrupted while it waited, or is itself a tile of this scatter; the workers
   *     end later
   */
  @Override
  public void close() {
    closed = true;
    workers.shutdown();
    if (workers.isInside()) {
      throw new ScatterException(
          "closed from inside a tile, which the close cannot wait for; the workers end when their"
              + " tiles have",
          null);
    }
    boolean ended;
    try {
      ended = workers.awaitEnd(settings.drainDeadline());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScatterException(
          "interrupted while tiles were under way; the workers end when those have", e);
    }
    if (!ended) {
      throw new ScatterException("a tile did not end within " + settings.drainDeadline(), null);
    }
  }
}
