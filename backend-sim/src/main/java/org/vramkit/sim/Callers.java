package org.vramkit.sim;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The threads that have called the simulator. Guarded by the backend's lock. */
final class Callers {
  private final Set<Thread> threads = Collections.newSetFromMap(new WeakHashMap<>());
  private @Nullable Thread latest;
  private long calls;

  void called() {
    calls++;
    Thread caller = Thread.currentThread();
    if (!caller.equals(latest)) {
      latest = caller;
      threads.add(caller);
    }
  }

  long getCalls() {
    return calls;
  }

  /**
   * Returns whether each waits for something that others do; one that sleeps will go on by itself.
   */
  boolean standStill(ReentrantLock lock) {
    return threads.stream()
        .noneMatch(
            thread -> thread.isAlive() && (isAtWork(thread) || lock.hasQueuedThread(thread)));
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

  /** Those that are left, by name, and what they wait for. */
  String words() {
    return threads.stream()
        .filter(Thread::isAlive)
        .map(thread -> "thread " + thread.getName() + Waiting.words(thread))
        .sorted()
        .collect(Collectors.joining("; "));
  }
}
