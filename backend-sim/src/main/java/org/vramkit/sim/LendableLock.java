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
 * The one lock of a simulator. Its holder can lend it to a thread that works on its behalf while it
 * waits itself, and take it back whenever that one is not inside. It knows the threads that called.
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

  /** How deep inside the borrower is. */
  private final AtomicInteger depth = new AtomicInteger(NOT_LENT);

  /** The calling thread borrows it of the holder, who waits for that; one at a time. */
  void borrow() {
    depth.set(0);
    borrower = Thread.currentThread();
  }

  /** The holder takes it back, unless the borrower is inside; whether it did. */
  boolean takeBack() {
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

  /** Does something while the calling thread holds it. */
  <T> T locked(Supplier<T> action) {
    lock();
    try {
      return action.get();
    } finally {
      unlock();
    }
  }

  /** Returns whether the calling thread holds it and has not borrowed it. */
  boolean isOwnedByCaller() {
    return super.isHeldByCurrentThread();
  }

  /** Also of a borrower, who acts for the holder. */
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

  long getCalls() {
    return calls;
  }

  /**
   * Returns whether each thread that has called waits for something that others do; one that sleeps
   * will go on by itself.
   */
  boolean standStill() {
    return callers.stream()
        .noneMatch(thread -> thread.isAlive() && (isAtWork(thread) || hasQueuedThread(thread)));
  }

  private static boolean isAtWork(Thread thread) {
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

  /** The threads that have called and are left, by name, and what they wait for. */
  String callerWords() {
    return callers.stream()
        .filter(Thread::isAlive)
        .map(thread -> "thread " + thread.getName() + Waiting.words(thread))
        .sorted()
        .collect(Collectors.joining("; "));
  }
}
