package org.vramkit.sim.check.thread;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Ends each call of the program: where a report depends on whether some thread is just ending, the
 * call returns once that is known. It waits outside the lock, so that the others go on, and until
 * the thread is over, calls again or is parked; only one that does none of these is given up.
 */
public final class ThreadEndWait {
  /**
   * How long a thread may run on, in real time, before it counts as one that is not ending. An
   * ending one has a few instructions left; what takes this long is work, or a machine that stands.
   */
  private static final Duration LIMIT = Duration.ofSeconds(1);

  private final ReentrantLock lock;
  private final PendingReports pending;

  public ThreadEndWait(ReentrantLock lock, PendingReports pending) {
    this.lock = lock;
    this.pending = pending;
  }

  /** The calling thread has let go of the lock. Whether there was something to be known. */
  public boolean callEnds() {
    if (!pending.exist() || lock.isHeldByCurrentThread()) {
      return false;
    }
    deliberate();
    return true;
  }

  private void deliberate() {
    long end = System.nanoTime() + LIMIT.toNanos();
    boolean interrupted = false;
    Thread undecided = decide(false);
    while (undecided != null) {
      try {
        undecided.join(1);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      undecided = decide(System.nanoTime() - end >= 0);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private @Nullable Thread decide(boolean atLast) {
    lock.lock();
    try {
      Thread undecided = pending.decide();
      if (undecided != null && atLast) {
        pending.letStand();
        return null;
      }
      return undecided;
    } finally {
      lock.unlock();
    }
  }
}
