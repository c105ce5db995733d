package org.vramkit.sim;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.SimulatorThread;

/**
 * Measures for how long a program has stood still. A program stands still while each of its threads
 * stays in one and the same wait, and makes no call to the simulator. A thread that computes,
 * sleeps, or waits in a loop with short timeouts may still do what others wait for, so a wait with
 * a timeout counts only while it has not ended. Guarded by the backend's lock.
 *
 * <p>The threads of a program are those that have called the simulator, those that were started
 * since the simulator was created, and those of running host functions.
 */
final class Stillness {
  /** The host threads that wait in any simulator, which wakes them to look. */
  private static final Set<Thread> INSIDE = ConcurrentHashMap.newKeySet();

  private final LendableLock lock;
  private final Supplier<Collection<Thread>> functions;
  private final long patience;

  /** The real time between two looks at the threads. */
  final long interval;

  /** The threads that were alive when the simulator was created. */
  private final Set<Thread> older = Collections.newSetFromMap(new WeakHashMap<>());

  private long looked;
  private long nanos;
  private long calls;

  /** The number of waits of each thread at the last look; null if a thread was at work. */
  private @Nullable Map<Thread, Long> waits;

  /**
   * Creates a measure.
   *
   * @param patience the time to measure, in nanoseconds
   * @param functions returns the threads of the running host functions
   */
  Stillness(LendableLock lock, long patience, Supplier<Collection<Thread>> functions) {
    this.lock = lock;
    this.functions = functions;
    this.patience = patience;
    this.interval =
        Math.max(
            TimeUnit.MILLISECONDS.toNanos(1),
            Math.min(TimeUnit.MILLISECONDS.toNanos(100), patience / 20));
    older.addAll(alive());
    restart();
  }

  /** Marks the calling thread as waiting in the simulator, until {@link #leave}. */
  void enter() {
    INSIDE.add(Thread.currentThread());
    restart();
  }

  void leave() {
    INSIDE.remove(Thread.currentThread());
  }

  /** Measures from now on. */
  void restart() {
    looked = System.nanoTime();
    nanos = 0;
    waits = null;
  }

  /**
   * Returns for how long the program has stood still, in nanoseconds of real time. Looks at the
   * threads, unless that was done a moment ago and decides nothing. Between two looks only some
   * time counts, because on a busy machine threads may be unable to run.
   */
  long look() {
    long elapsed = System.nanoTime() - looked;
    if (elapsed < interval / 2 && nanos < patience) {
      return nanos;
    }
    Map<Thread, Long> now = countWaits();
    boolean still = now != null && now.equals(waits) && calls == lock.getCalls();
    nanos = still ? nanos + Math.min(elapsed, 2 * interval) : 0;
    waits = now;
    calls = lock.getCalls();
    // Afterwards, because a look at many threads takes time.
    looked = System.nanoTime();
    return nanos;
  }

  /** Returns how often each thread has waited; null if one may act. */
  private @Nullable Map<Thread, Long> countWaits() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    Map<Thread, Long> counts = new HashMap<>();
    for (Thread thread : threads()) {
      if (!INSIDE.contains(thread) && thread.isAlive()) {
        ThreadInfo info = threads.getThreadInfo(thread.getId());
        // A virtual thread has no count, so one wait with a timeout looks like several.
        boolean isUncounted = info == null && thread.getState() == Thread.State.TIMED_WAITING;
        if (isUncounted || lock.mayAct(thread)) {
          return null;
        }
        counts.put(thread, info == null ? 0 : info.getWaitedCount() + info.getBlockedCount());
      }
    }
    return counts;
  }

  private Set<Thread> threads() {
    Set<Thread> threads = new HashSet<>(alive());
    threads.removeIf(
        thread -> older.contains(thread) || thread instanceof SimulatorThread || isOfJvm(thread));
    threads.addAll(lock.getCallers());
    threads.addAll(functions.get());
    return threads;
  }

  private static boolean isOfJvm(Thread thread) {
    return thread.getState() == Thread.State.RUNNABLE && thread.getStackTrace().length == 0;
  }

  /** Returns the living threads, without those of the JVM's own group. */
  private static List<Thread> alive() {
    ThreadGroup jvm = Thread.currentThread().getThreadGroup();
    while (jvm.getParent() != null) {
      jvm = jvm.getParent();
    }
    List<Thread> found = new ArrayList<>();
    ThreadGroup[] groups = new ThreadGroup[jvm.activeGroupCount() + 8];
    for (ThreadGroup group : Arrays.asList(groups).subList(0, jvm.enumerate(groups, true))) {
      Thread[] threads = new Thread[group.activeCount() + 8];
      found.addAll(Arrays.asList(threads).subList(0, group.enumerate(threads, false)));
    }
    return found;
  }
}
