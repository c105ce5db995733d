package org.vramkit.sim;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.SimulatorThread;

/**
 * The lock of a simulator. Its holder can lend it to a thread that works on its behalf while the
 * holder waits, and reclaim it whenever that thread is not inside. It also counts calls.
 */
final class LendableLock extends ReentrantLock {
  private static final long serialVersionUID = 1L;
  private static final int NOT_LENT = -1;

  @SuppressWarnings("serial") // never written
  private volatile @Nullable Thread borrower;

  private long calls;

  /** How often the borrower holds the lock; {@link #NOT_LENT} without a borrower. */
  private final AtomicInteger depth = new AtomicInteger(NOT_LENT);

  /** Borrows the lock from its holder, who waits; one thread at a time. */
  void borrow() {
    depth.set(0);
    borrower = Thread.currentThread();
  }

  /** Reclaims the lock for the holder, unless the borrower is inside; returns whether it did. */
  boolean reclaim() {
    if (!depth.compareAndSet(0, NOT_LENT)) {
      return false;
    }
    borrower = null;
    return true;
  }

  private boolean isBorrower() {
    return Thread.currentThread().equals(borrower);
  }

  @Override
  public void lock() {
    if (isBorrower()) {
      int inside = depth.get();
      while (inside != NOT_LENT) {
        if (depth.compareAndSet(inside, inside + 1)) {
          return;
        }
        inside = depth.get();
      }
    }
    super.lock();
    if (!(Thread.currentThread() instanceof SimulatorThread)) {
      calls++;
    }
  }

  @Override
  public void unlock() {
    if (isBorrower() && depth.get() > 0) {
      depth.decrementAndGet();
    } else {
      super.unlock();
    }
  }

  /** Runs an action while holding the lock. */
  <T> T locked(Supplier<T> action) {
    lock();
    try {
      return action.get();
    } finally {
      unlock();
    }
  }

  /** Returns whether the calling thread holds it without borrowing. */
  boolean isOwnedByCaller() {
    return super.isHeldByCurrentThread();
  }

  /** Returns true also for a borrower, which acts for the holder. */
  @Override
  public boolean isHeldByCurrentThread() {
    return super.isHeldByCurrentThread() || isBorrower();
  }

  /** Returns a number that each call by a thread of the program raises. */
  long getCalls() {
    return calls;
  }
}
