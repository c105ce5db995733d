package org.vramkit.partition.scatter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.GpuException;

/** The tiles that run concurrently, coordinated by the thread that called the scatter. */
final class Round {
  private final List<TileRun> runs;
  private final Progress progress;
  private final Duration drainDeadline;
  private final List<TileRun> ended = new ArrayList<>();
  private final List<TileRun> hanging = new ArrayList<>();
  private boolean interrupted;
  private boolean endedByInterrupt;

  /**
   * Creates a round without starting it.
   *
   * @param runs the tiles to run
   */
  Round(List<TileRun> runs, Progress progress, Duration drainDeadline) {
    this.runs = List.copyOf(runs);
    this.progress = progress;
    this.drainDeadline = drainDeadline;
  }

  /** Returns the tiles whose tasks have returned; their results may be read. */
  List<TileRun> ended() {
    return ended;
  }

  /**
   * Starts the tiles, waits until all tasks have returned, then waits for their devices in the
   * order of tiles. Leaves GPU failures to the caller.
   *
   * @throws ScatterException if the calling thread was interrupted, in which case its interrupt
   *     flag is set again, or if the task threw a checked exception
   * @throws RuntimeException an unchecked exception of the task
   */
  void perform(Workers workers) {
    runs.forEach(run -> submit(run, workers));
    try {
      runs.forEach(this::await);
      ended.forEach(TileRun::finish);
    } finally {
      // Not before the waits: a backend may abort a wait on an interrupted thread.
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    Throwable primary = primary();
    if (primary != null) {
      ended.forEach(run -> Failures.suppress(primary, run.failure()));
      hanging.forEach(run -> Failures.suppress(primary, hung(run)));
      throw Failures.unchecked("a tile", primary);
    }
  }

  private void submit(TileRun run, Workers workers) {
    if (progress.isCancelled()) {
      // drained() withdraws it.
      return;
    }
    try {
      workers.submit(run.tile.ordinal(), run);
    } catch (RejectedExecutionException e) {
      run.refuse(Workers.closedMeanwhile());
    } catch (Throwable e) {
      // Usually the thread could not be created. Thrown after the running tiles have ended.
      run.refuse(e);
    }
  }

  private void await(TileRun run) {
    while (!run.hasReturned()) {
      try {
        if (!progress.isCancelled()) {
          // Wakes up periodically to check whether another tile has cancelled the scatter.
          run.awaitReturn(TimeUnit.MILLISECONDS.toNanos(1));
        } else if (!drained(run)) {
          hanging.add(run);
          return;
        }
      } catch (InterruptedException e) {
        interrupted = true;
        endedByInterrupt |= progress.cancel();
      }
    }
    ended.add(run);
  }

  /**
   * Waits up to the drain deadline for a tile of a cancelled scatter, and returns whether it has
   * returned.
   */
  private boolean drained(TileRun run) throws InterruptedException {
    // Withdraw all queued tiles: the worker of a later one may be busy with another scatter.
    runs.forEach(TileRun::withdraw);
    long left = TimeUnit.NANOSECONDS.convert(drainDeadline) - progress.nanosSinceCancelled();
    run.awaitReturn(left);
    return !run.abandon();
  }

  /** Returns the exception to throw; null if nothing but GPUs failed. */
  private @Nullable Throwable primary() {
    if (endedByInterrupt) {
      return new ScatterException(
          "interrupted while tiles were in progress; "
              + (hanging.isEmpty() ? "all have ended" : hanging.size() + " did not end in time"),
          null);
    }
    Throwable first = null;
    for (TileRun run : ended) {
      Throwable failure = run.failure();
      boolean user = failure != null && !(failure instanceof GpuException);
      // An error takes precedence: the exceptions may result from the cancellation that it caused.
      if (user && (first == null || (failure instanceof Error && !(first instanceof Error)))) {
        first = failure;
      }
    }
    return first == null && !hanging.isEmpty() ? hung(hanging.get(0)) : first;
  }

  private ScatterException hung(TileRun run) {
    return new ScatterException(
        "tile "
            + run.tile
            + " did not end within "
            + drainDeadline
            + " of being cancelled; the worker of its device stays busy until it ends",
        null);
  }
}
