package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.schedule.ChoiceException;
import org.vramkit.sim.thread.SingleThread;

/**
 * Runs the steps of each recorded host thread on a thread of its own, with the recorded name, and
 * in a fork-join pool if the recorded thread was a worker. The checker distinguishes threads, so
 * only then does it find the same hazards as in the recorded run. Only one thread runs at a time,
 * in the order of steps. A program of one thread runs on the calling thread.
 */
final class ReplayThreads implements AutoCloseable {
  /** A host thread; created again if it is needed after its end. */
  private static final class ReplayThread {
    private final ProgramThread original;
    private @Nullable ExecutorService executor;
    private @Nullable Thread thread;

    ReplayThread(ProgramThread original) {
      this.original = original;
    }

    Future<?> submit(Runnable call) {
      ExecutorService running = executor;
      if (running == null) {
        running =
            original.worker()
                ? new ForkJoinPool(1, this::newWorker, null, false)
                : new SingleThread(this::newThread);
        executor = running;
      }
      return running.submit(call);
    }

    private Thread newThread(Runnable task) {
      Thread made = new Thread(task, original.name());
      made.setDaemon(true);
      thread = made;
      return made;
    }

    private ForkJoinWorkerThread newWorker(ForkJoinPool pool) {
      ForkJoinWorkerThread made = new ForkJoinWorkerThread(pool) {};
      made.setName(original.name());
      thread = made;
      return made;
    }

    void shutdown() {
      if (executor != null) {
        executor.shutdown();
        executor = null;
      }
    }

    void end() throws InterruptedException {
      shutdown();
      if (thread != null) {
        thread.join();
      }
    }
  }

  private final List<ReplayThread> threads = new ArrayList<>();

  ReplayThreads(Program program) {
    if (program.threads().size() > 1) {
      program.threads().forEach(thread -> threads.add(new ReplayThread(thread)));
    }
  }

  /** Makes a call on a thread, and waits for it. */
  void run(int thread, Runnable call) {
    if (threads.isEmpty()) {
      call.run();
      return;
    }
    try {
      threads.get(thread).submit(call).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ChoiceException schedule) {
        throw schedule;
      }
      throw new IllegalStateException(
          "a step failed with an error that is not from a call to" + " the simulator", e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /**
   * Ends a thread and waits for it, so that the work that it knew to be complete is complete for
   * all other threads too.
   */
  void end(int thread) {
    if (!threads.isEmpty()) {
      try {
        threads.get(thread).end();
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
    }
  }

  private static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted while a program ran; run it again", e);
  }

  @Override
  public void close() {
    threads.forEach(ReplayThread::shutdown);
  }
}
