package org.vramkit.sim.thread;

import java.lang.ref.WeakReference;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * Tells the threads that run task after task for an executor of the JDK: those of {@link
 * ThreadPoolExecutor}, which {@code Executors} makes, and of {@link ForkJoinPool}, which runs
 * parallel streams and the stages of {@code CompletableFuture}; and those of Kotlin's dispatchers,
 * which run a coroutine piece by piece, now on one thread and now on another. Where one task ends
 * and the next begins cannot be seen from inside. An executor with a thread for each task, such as
 * one of virtual threads, has none: there a task's end is a thread's.
 *
 * <p>The thread that made this is taken for none: a test may itself run as a task, and what it
 * starts lies within that one. Safe for any thread.
 */
public final class ExecutorWorkers {
  private static final String POOLED = ThreadPoolExecutor.class.getName() + "$Worker";
  private static final String COROUTINES =
      "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker";

  private final WeakReference<Thread> maker;

  /** Takes the calling thread for none. */
  public ExecutorWorkers() {
    this.maker = new WeakReference<>(Thread.currentThread());
  }

  /** Whether the calling thread is one. Walks the stack: ask once, a thread stays what it is. */
  public boolean isCallerOne() {
    Thread caller = Thread.currentThread();
    if (maker.refersTo(caller)) {
      return false;
    }
    return caller instanceof ForkJoinWorkerThread
        || caller.getClass().getName().equals(COROUTINES)
        || StackWalker.getInstance()
            .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(POOLED)));
  }
}
