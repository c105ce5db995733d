package org.vramkit.sim.thread;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.vramkit.api.Experimental;

/**
 * An executor with one host thread, for replays and for programs that a search prints. The checker
 * treats it like a thread that the program starts itself, and assumes no {@linkplain
 * org.vramkit.sim.HandOff hand-off} between the caller and its tasks. A short program can therefore
 * show a missing hand-off. The executor is terminated once its thread has ended. Safe for any
 * thread.
 */
@Experimental
public final class SingleThread extends AbstractExecutorService {
  /** The last task. */
  private static final class End implements Runnable {
    @Override
    public void run() {
      // Ends the loop.
    }
  }

  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile boolean shutdown;

  /** Creates an executor with a thread of a factory. */
  public SingleThread(ThreadFactory threads) {
    thread = Objects.requireNonNull(threads, "threads").newThread(this::work);
    thread.start();
  }

  /** Creates an executor whose thread has a name, which reports show. */
  public static SingleThread named(String name) {
    Objects.requireNonNull(name, "name");
    return new SingleThread(loop -> new Thread(loop, name));
  }

  private void work() {
    for (Runnable task = next(); !(task instanceof End); task = next()) {
      task.run();
    }
  }

  private Runnable next() {
    while (true) {
      try {
        return tasks.take();
      } catch (InterruptedException e) {
        // Meant for a task that has ended since; only the last task ends the loop.
        Thread.onSpinWait();
      }
    }
  }

  @Override
  public void execute(Runnable task) {
    Objects.requireNonNull(task, "task");
    if (shutdown) {
      throw new RejectedExecutionException(thread.getName() + " was shut down");
    }
    tasks.add(task);
  }

  @Override
  public void shutdown() {
    if (!shutdown) {
      shutdown = true;
      tasks.add(new End());
    }
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    List<Runnable> left = new ArrayList<>();
    tasks.drainTo(left);
    left.removeIf(End.class::isInstance);
    tasks.add(new End());
    thread.interrupt();
    return left;
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown && !thread.isAlive();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    Objects.requireNonNull(unit, "unit");
    long millis = unit.toMillis(timeout);
    if (millis > 0) {
      thread.join(millis);
    }
    return isTerminated();
  }
}
