package org.vramkit.sim.thread;

import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.vramkit.api.Experimental;

/**
 * An executor with one host thread at a time, for replays and for programs that a search prints.
 * The checker treats it like a thread that the program starts itself, and assumes no {@linkplain
 * org.vramkit.sim.HandOff hand-off} between the caller and its tasks. A short program can therefore
 * show a missing hand-off. A task that was passed to {@link #execute} and throws ends its thread; a
 * new thread of the same factory runs the next tasks. Unlike other executors, this one is
 * terminated only once all its threads have ended. Safe for any thread.
 */
@Experimental
public final class SingleThread extends ThreadPoolExecutor {
  /** The threads that may be alive; the last one performs the tasks. */
  private final Deque<Thread> made = new ConcurrentLinkedDeque<>();

  /** Creates an executor with threads of a factory. */
  public SingleThread(ThreadFactory threads) {
    super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    Objects.requireNonNull(threads, "threads");
    setThreadFactory(work -> newThread(threads, work));
    setRejectedExecutionHandler(
        (task, executor) -> {
          throw new RejectedExecutionException(
              made.getLast().getName() + " was shut down; submit tasks before the shutdown");
        });
    prestartCoreThread();
  }

  /** Creates an executor whose thread has a name, which reports show. */
  public static SingleThread named(String name) {
    Objects.requireNonNull(name, "name");
    return new SingleThread(loop -> new Thread(loop, name));
  }

  private Thread newThread(ThreadFactory threads, Runnable work) {
    Thread thread =
        Objects.requireNonNull(
            threads.newThread(work), () -> "the thread factory " + threads + " returned null");
    made.removeIf(earlier -> earlier.getState() == Thread.State.TERMINATED);
    made.add(thread);
    return thread;
  }

  @Override
  public boolean isTerminated() {
    return super.isTerminated() && made.stream().noneMatch(Thread::isAlive);
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    Objects.requireNonNull(unit, "unit");
    long begun = System.nanoTime();
    if (!super.awaitTermination(timeout, unit)) {
      return false;
    }
    for (Thread thread : made) {
      unit.timedJoin(
          thread, timeout - unit.convert(System.nanoTime() - begun, TimeUnit.NANOSECONDS));
    }
    return isTerminated();
  }
}
