package org.vramkit.partition.scatter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.GpuException;

/** Tiles that are under way together, led by the thread that called the scatter. */
final class Round {
  private final List<TileRun> runs;
  private final Progress progress;
  private final Duration drainDeadline;
  private final List<TileRun> ended = new ArrayList<>();
  private final List<TileRun> hanging = new ArrayList<>();
  private boolean interrupted;
  private boolean endedByInterrupt;

  /**
   * A round that has not started.
   *
   * @param runs all made already: what fails half-way is then a submission, and no other
   */
  Round(List<TileRun> runs, Progress progress, Duration drainDeadline) {
    this.runs = List.copyOf(runs);
    this.progress = progress;
    this.drainDeadline = drainDeadline;
  }

  /** Tiles that have returned, and so may be asked. */
  List<TileRun> ended() {
    return ended;
  }

  /**
   * Starts the tiles, waits until all tasks have returned, then for their devices, in the order of
   * tiles. Failures of GPUs are left to the caller.
   *
   * @throws ScatterException if the calling thread was interrupted, which it still is afterwards,
   *     or for a checked exception of the user's
   * @throws RuntimeException the user's
   */
  void perform(Workers workers) {
    runs.forEach(run -> submit(run, workers));
    try {
      runs.forEach(this::await);
      ended.forEach(TileRun::finish);
    } finally {
      // Not before: a backend may take an interrupt for a reason to give up its wait.
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
      // Withdrawn when it is waited for.
      return;
    }
    try {
      workers.submit(run.tile.ordinal(), run);
    } catch (RejectedExecutionException e) {
      run.refuse(Workers.closedMeanwhile());
    } catch (Throwable e) {
      // Thrown once the tiles that run already have ended: no thread could be had, as a rule.
      run.refuse(e);
    }
  }

  private void await(TileRun run) {
    while (!run.hasReturned()) {
      try {
        if (!progress.isCancelled()) {
          // Woken now and then, to see that another tile has cancelled the scatter.
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

  /** Returns whether a tile of a cancelled scatter has returned, waited for up to the deadline. */
  private boolean drained(TileRun run) throws InterruptedException {
    // All of them, as the worker that a later one waits for may be busy with another scatter.
    runs.forEach(TileRun::withdraw);
    long left = TimeUnit.NANOSECONDS.convert(drainDeadline) - progress.nanosSinceCancelled();
    run.awaitReturn(left);
    return !run.abandon();
  }

  /**
   * Returns the exception to throw, with all else suppressed; null if only GPUs failed, or nothing
   * did.
   */
  private @Nullable Throwable primary() {
    if (endedByInterrupt) {
      return new ScatterException(
          "interrupted while tiles were under way; "
              + (hanging.isEmpty() ? "all have ended" : hanging.size() + " did not end in time"),
          null);
    }
    Throwable first = null;
    for (TileRun run : ended) {
      Throwable failure = run.failure();
      boolean user = failure != null && !(failure instanceof GpuException);
      // An error goes before exceptions: those may come of the cancelling that it began.
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
            + " of being cancelled; the worker of its device is busy until it does",
        null);
  }
}
