package org.vramkit.partition.scatter;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A thread for each device, made when its first tile comes. Never those of a shared work-stealing
 * pool: a tile that waits there for another parallel call can wait for itself (requirement S5.6).
 */
// Not final: a test lets it run out of threads.
class Workers {
  /** A worker knows whose it is, so that a scatter inside its own tile is seen. */
  private static final class WorkerThread extends Thread {
    final Workers owner;

    WorkerThread(Workers owner, Runnable work, int ordinal) {
      super(work, "vramkit-scatter-device-" + ordinal);
      this.owner = owner;
      setDaemon(true);
    }
  }

  /**
   * Guards {@link #threads} and {@link #closed}, so that nothing is submitted to a worker that
   * nobody ends. Held while a thread is made, never while one is waited for.
   */
  private final Object lock = new Object();

  private final Map<Integer, ExecutorService> threads = new HashMap<>();
  private boolean closed;

  /**
   * Lets the worker of a device do something, once it has done what it was given before.
   *
   * @throws RejectedExecutionException after the close
   */
  void submit(int ordinal, Runnable work) {
    synchronized (lock) {
      if (closed) {
        throw new RejectedExecutionException("the workers are closed");
      }
      threads.computeIfAbsent(ordinal, this::newWorker).execute(work);
    }
  }

  private ExecutorService newWorker(int ordinal) {
    return Executors.newSingleThreadExecutor(work -> new WorkerThread(this, work, ordinal));
  }

  boolean isOwn(Thread thread) {
    return thread instanceof WorkerThread worker && worker.owner == this;
  }

  /** Lets queued tiles end; returns whether all did in time. */
  boolean close(Duration deadline) {
    List<ExecutorService> all;
    synchronized (lock) {
      closed = true;
      all = List.copyOf(threads.values());
    }
    all.forEach(ExecutorService::shutdown);
    long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(deadline);
    boolean ended = true;
    for (ExecutorService each : all) {
      try {
        ended &= each.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return ended;
  }
}
