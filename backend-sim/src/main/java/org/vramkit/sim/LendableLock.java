package org.vramkit.sim;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.SimulatorThread;

/**
 * The lock of a simulator. Its holder can lend it to a thread that works on its behalf while the
 * holder waits, and reclaim it whenever that thread is not inside. It also tracks the calling
 * threads.
 */
final class LendableLock extends ReentrantLock {
  private static final long serialVersionUID = 1L;
  private static final int NOT_LENT = -1;

  @SuppressWarnings("serial") // never written
  private volatile @Nullable Thread borrower;

  /** The threads that have called the simulator. */
  @SuppressWarnings("serial") // never written
  private final Set<Thread> callers = Collections.newSetFromMap(new WeakHashMap<>());

  @SuppressWarnings("serial") // never written
  private @Nullable Thread latest;

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
    Thread caller = Thread.currentThread();
    if (!(caller instanceof SimulatorThread) && getHoldCount() == 1) {
      called(caller);
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

  private void called(Thread caller) {
    calls++;
    if (!caller.equals(latest)) {
      latest = caller;
      callers.add(caller);
    }
  }

  /** Returns the number of outermost calls by threads of the program. */
  long getCalls() {
    return calls;
  }

  /** Returns the threads that have called the simulator. */
  Set<Thread> getCallers() {
    return callers;
  }

  /**
   * Returns whether each calling thread waits for other threads; a sleeping thread does not count
   * as waiting.
   */
  boolean standStill() {
    return callers.stream().noneMatch(this::mayAct);
  }

  /** Returns whether a thread may act without another one: it is at work, or enters this lock. */
  boolean mayAct(Thread thread) {
    return thread.isAlive() && (isAtWork(thread) || hasQueuedThread(thread));
  }

  /** Returns whether a thread runs, may run, or sleeps, instead of waiting for other threads. */
  static boolean isAtWork(Thread thread) {
    return switch (thread.getState()) {
      case WAITING, BLOCKED -> false;
      case TIMED_WAITING -> isAsleep(thread.getStackTrace());
      default -> true;
    };
  }

  private static boolean isAsleep(StackTraceElement[] stack) {
    return stack.length > 0
        && stack[0].getClassName().equals(Thread.class.getName())
        && stack[0].getMethodName().startsWith("sleep");
  }

  /** Describes the living calling threads, by name, and what they wait for. */
  String callerWords() {
    return callers.stream()
        .filter(Thread::isAlive)
        .map(thread -> "thread " + thread.getName() + Waiting.words(thread))
        .sorted()
        .collect(Collectors.joining("; "));
  }
}
