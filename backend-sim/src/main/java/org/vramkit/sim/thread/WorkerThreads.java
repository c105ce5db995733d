package org.vramkit.sim.thread;

import java.util.Objects;
import java.util.concurrent.ForkJoinWorkerThread;
import org.vramkit.api.Experimental;

/**
 * The threads that run task after task and show it by their class: those of a fork-join pool and of
 * Kotlin's dispatchers. Threads of a {@code ThreadPoolExecutor} are of the program's own class.
 */
@Experimental
public final class WorkerThreads {
  private static final String COROUTINES =
      "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker";

  private WorkerThreads() {}

  /** Returns whether a thread is one. */
  public static boolean include(Thread thread) {
    return Objects.requireNonNull(thread, "thread") instanceof ForkJoinWorkerThread
        || thread.getClass().getName().equals(COROUTINES);
  }
}
