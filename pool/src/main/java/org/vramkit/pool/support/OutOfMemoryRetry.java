package org.vramkit.pool.support;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * Retries a failed allocation of a pool after the pool has returned what it caches. Thread-safe.
 *
 * <p>The lock is held while memory is returned. A thread that is out of memory therefore waits for
 * memory that another thread is returning, instead of failing. Only threads that are out of memory
 * or return memory take the lock, before any other lock.
 */
public final class OutOfMemoryRetry {
  private static final int MOST_ATTEMPTS = 16;

  private final PoolLock lock;

  /** Counts how often memory was returned. */
  private final AtomicLong rounds = new AtomicLong();

  public OutOfMemoryRetry(PoolHealth health) {
    this.lock = new PoolLock(health);
  }

  /**
   * Allocates, and tries again as long as memory was returned since the last attempt. One return
   * may not suffice, because another thread may take the memory.
   *
   * @param attempt called at most {@value #MOST_ATTEMPTS} times
   * @param givingBack returns cached memory, given the number of the round from 1; returns its
   *     bytes
   * @throws DeviceOutOfMemoryException if nothing was returned since the last attempt, or after the
   *     last attempt allowed; the first refusal is suppressed in it
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
    return lock.change(
        () -> {
          // Memory that another thread has returned meanwhile may suffice.
          if (rounds.get() == seen) {
            giveBack(givingBack);
          }
          return rounds.get() != seen;
        });
  }

  /**
   * Returns cached memory, as a trim does.
   *
   * @param givingBack returns memory and reports its bytes
   */
  public long giveBack(LongSupplier givingBack) {
    return lock.change(
        () -> {
          try {
            long bytes = givingBack.getAsLong();
            if (bytes > 0) {
              rounds.incrementAndGet();
            }
            return bytes;
          } catch (RuntimeException | Error e) {
            // Some memory may have been returned in spite of the failure.
            rounds.incrementAndGet();
            throw e;
          }
        });
  }

  /**
   * Returns cached memory unless another thread is doing so. Does not wait.
   *
   * @return the bytes; 0 if another thread returns memory
   */
  public long tryGiveBack(LongSupplier givingBack) {
    if (!lock.tryLock()) {
      return 0;
    }
    try {
      return giveBack(givingBack);
    } finally {
      lock.unlock();
    }
  }
}
