package org.vramkit.pool.support;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * Allocates for a pool; where memory has run out, all that the pool keeps goes back first and the
 * allocation is tried again. Safe for any thread.
 *
 * <p>Its lock is held while something goes back, so that a thread that finds no memory and nothing
 * kept waits for what is on its way, instead of failing. Only threads take it that have no memory
 * or empty the pool, and before any other lock.
 */
public final class OutOfMemoryRetry {
  private static final int MOST_ATTEMPTS = 16;

  private final ReentrantLock lock = new ReentrantLock();

  /** How often something went back. */
  private final AtomicLong rounds = new AtomicLong();

  /**
   * Allocates. What went back may be another thread's by the time of the next attempt, while that
   * one's own comes back to the pool: so attempts end where nothing went back since the last one.
   *
   * @param attempt made {@value #MOST_ATTEMPTS} times at most
   * @param givingBack gives back what is kept, in the first round, the second and so on; tells how
   *     many bytes those were
   * @throws DeviceOutOfMemoryException if nothing went back since the last attempt, or if that was
   *     the last of all; with the first refusal as suppressed
   */
  public <T> T allocate(Supplier<T> attempt, IntToLongFunction givingBack) {
    DeviceOutOfMemoryException first = null;
    try {
      for (int made = 1; ; made++) {
        long seen = rounds.get();
        try {
          return attempt.get();
        } catch (DeviceOutOfMemoryException refusal) {
          first = first == null ? refusal : first;
          int round = made;
          if (made == MOST_ATTEMPTS
              || !hasGivenBackSince(seen, () -> givingBack.applyAsLong(round))) {
            throw refusal;
          }
        }
      }
    } catch (RuntimeException | Error e) {
      if (first != null) {
        Batch.suppress(e, first);
      }
      throw e;
    }
  }

  private boolean hasGivenBackSince(long seen, LongSupplier givingBack) {
    lock.lock();
    try {
      // What another thread gave back meanwhile is tried first: it may be just what is needed.
      if (rounds.get() == seen) {
        giveBack(givingBack);
      }
      return rounds.get() != seen;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives something back without need, as a trim does.
   *
   * @param givingBack tells how many bytes went back
   * @return what it told
   */
  public long giveBack(LongSupplier givingBack) {
    lock.lock();
    try {
      long bytes = givingBack.getAsLong();
      if (bytes > 0) {
        rounds.incrementAndGet();
      }
      return bytes;
    } catch (RuntimeException | Error e) {
      // What went back before and after one failure is there for others.
      rounds.incrementAndGet();
      throw e;
    } finally {
      lock.unlock();
    }
  }

  /** Gives something back unless another thread is at it, and without a wait for that one. */
  public void tryGiveBack(LongSupplier givingBack) {
    if (lock.tryLock()) {
      try {
        giveBack(givingBack);
      } finally {
        lock.unlock();
      }
    }
  }
}
