package org.vramkit.sim.thread;

import java.util.Objects;
import java.util.concurrent.ForkJoinWorkerThread;
import org.vramkit.api.Experimental;

/**
 * Recognizes threads that run many tasks by their class: those of fork-join pools and of Kotlin's
 * dispatchers. Threads of a {@code ThreadPoolExecutor} have the program's own class.
 */
@Experimental
public final class WorkerThreads {
  private static final String COROUTINES =
      "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker";

  private WorkerThreads() {}

  /** Returns whether a thread is a worker. */
  public static boolean include(Thread thread) {
    return Objects.requireNonNull(thread, "thread") instanceof ForkJoinWorkerThread
        || thread.getClass().getName().equals(COROUTINES);
  }
}
