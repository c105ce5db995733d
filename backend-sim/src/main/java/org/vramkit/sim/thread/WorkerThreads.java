package org.vramkit.sim.thread;

import java.util.Objects;
import java.util.concurrent.ForkJoinWorkerThread;
import org.vramkit.api.Experimental;

/**
 * Recognizes by their class the worker threads of fork-join pools and of Kotlin's dispatchers.
 * Threads of a {@code ThreadPoolExecutor} are not recognized, because their class is the program's
 * own.
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
