package org.vramkit.partition.scatter;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

  private final Map<Integer, ExecutorService> threads = new ConcurrentHashMap<>();

  void submit(int ordinal, Runnable work) {
    threads
        .computeIfAbsent(
            ordinal,
            device ->
                Executors.newSingleThreadExecutor(
                    runnable -> new WorkerThread(this, runnable, device)))
        .execute(work);
  }

  boolean isOwn(Thread thread) {
    return thread instanceof WorkerThread worker && worker.owner == this;
  }

  /** Lets queued tiles end; returns whether all did in time. */
  boolean close(Duration deadline) {
    threads.values().forEach(ExecutorService::shutdown);
    long end = System.nanoTime() + deadline.toNanos();
    boolean all = true;
    for (ExecutorService each : threads.values()) {
      try {
        all &= each.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return all;
  }
}
