package org.vramkit.sim;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.SimulatorThread;

/**
 * The reentrant lock of a simulator. Its holder can lend it to a thread that works on its behalf
 * while the holder waits, and reclaim it whenever that thread is not inside. It also counts calls.
 *
 * <p>A stack overflow does not leave it held: the last step of an acquisition and the first of a
 * release write a field and call nothing. What wakes other threads may overflow, so these look for
 * themselves from time to time.
 */
final class LendableLock {
  private static final AtomicReferenceFieldUpdater<LendableLock, @Nullable Thread> OWNER =
      AtomicReferenceFieldUpdater.newUpdater(LendableLock.class, Thread.class, "owner");

  private static final AtomicIntegerFieldUpdater<LendableLock> DEPTH =
      AtomicIntegerFieldUpdater.newUpdater(LendableLock.class, "depth");

  private static final int NOT_LENT = -1;

  /** How often a waiting thread looks although no thread has woken it. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private volatile @Nullable Thread owner;

  /** How often the owner holds the lock. */
  private int holds;

  /** Threads that wait for the lock. */
  private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();

  /** Owners that have released the lock until a signal. */
  private final Queue<Thread> sleeping = new ConcurrentLinkedQueue<>();

  private volatile @Nullable Thread borrower;

  /** How often the borrower holds the lock; {@link #NOT_LENT} without a borrower. */
  private volatile int depth = NOT_LENT;

  private long calls;

  // ---- lending ----

  /** Borrows the lock from its holder, who waits; one thread at a time. */
  void borrow() {
    depth = 0;
    borrower = Thread.currentThread();
  }

  /** Reclaims the lock for the holder, unless the borrower is inside; returns whether it did. */
  boolean reclaim() {
    if (!DEPTH.compareAndSet(this, 0, NOT_LENT)) {
      return false;
    }
    borrower = null;
    return true;
  }

  /** Enters as the borrower; returns false if the caller is not the borrower. */
  private boolean enterLent(Thread caller) {
    if (caller != borrower) {
      return false;
    }
    int inside = depth;
    while (inside != NOT_LENT && !DEPTH.compareAndSet(this, inside, inside + 1)) {
      inside = depth;
    }
    return inside != NOT_LENT;
  }

  // ---- holding ----

  /** Runs an action while holding the lock. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // the owner of a depth above 0 is the borrower
  <T> T locked(Supplier<T> action) {
    Thread caller = Thread.currentThread();
    boolean isLent = enterLent(caller);
    if (!isLent) {
      acquire(caller);
      holds++;
      calls += caller instanceof SimulatorThread ? 0 : 1;
    }
    try {
      return action.get();
    } finally {
      // No call before the release, because the stack may have ended here.
      if (isLent) {
        depth--;
      } else if (caller == owner && --holds == 0) {
        owner = null;
        wakeNext();
      }
    }
  }

  private void acquire(Thread caller) {
    if (caller != owner && !OWNER.compareAndSet(this, null, caller)) {
      await(caller);
    }
  }

  /** Waits until the caller owns the lock. An interrupt stays set, but does not end the wait. */
  private void await(Thread caller) {
    boolean isInterrupted = false;
    boolean isOver = false;
    try {
      waiting.add(caller);
      while (!OWNER.compareAndSet(this, null, caller)) {
        LockSupport.parkNanos(this, LOOK_NANOS);
        isInterrupted |= Thread.interrupted();
        // A thread that was woken has left the queue.
        waiting.remove(caller);
        waiting.add(caller);
      }
      waiting.remove(caller);
      if (isInterrupted) {
        caller.interrupt();
      }
      isOver = true;
    } finally {
      if (!isOver && caller == owner) {
        owner = null;
      }
    }
  }

  private void wakeNext() {
    Thread next = waiting.poll();
    if (next != null) {
      LockSupport.unpark(next);
    }
  }

  /** Returns whether the calling thread holds the lock without borrowing. */
  boolean isOwnedByCaller() {
    return Thread.currentThread() == owner;
  }

  /**
   * Releases the lock until {@link #signalAll}, at most for some nanoseconds, and returns with the
   * lock; may return earlier. The caller owns the lock. An interrupt stays set.
   */
  void awaitSignal(long nanos) {
    Thread caller = Thread.currentThread();
    int before = holds;
    sleeping.add(caller);
    try {
      holds = 0;
      owner = null;
      wakeNext();
      LockSupport.parkNanos(this, Math.min(nanos, LOOK_NANOS));
    } finally {
      acquire(caller);
      holds = before;
      sleeping.remove(caller);
    }
  }

  /** Wakes the threads in {@link #awaitSignal}. */
  void signalAll() {
    sleeping.forEach(LockSupport::unpark);
  }

  /** Returns a number that each call by a thread of the program raises. */
  long getCalls() {
    return calls;
  }
}
