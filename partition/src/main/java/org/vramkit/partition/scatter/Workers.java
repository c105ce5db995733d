package org.vramkit.partition.scatter;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.vramkit.api.error.ClosedException;
import org.vramkit.partition.plan.Tile;

/**
 * The worker threads: one for each lane of a device, created with its first tile. A shared
 * work-stealing pool is not used, because there a tile that waits for another parallel call could
 * wait for itself (requirement S5.6).
 */
// Not final: a test simulates that no thread can be created.
class Workers {
  /**
   * A worker thread that knows its owner and the workers that wait for its tile. {@link #isInside}
   * finds nested runs of the same scatter by these, also through another scatter. Confined to the
   * thread itself.
   */
  private static final class WorkerThread extends Thread {
    final Workers owner;
    Set<Workers> waiting = Set.of();

    WorkerThread(Workers owner, Runnable work, Lane lane) {
      super(work, lane.threadName());
      this.owner = owner;
      setDaemon(true);
    }

    void run(Runnable tile, Set<Workers> forWhom) {
      waiting = forWhom;
      try {
        tile.run();
      } finally {
        waiting = Set.of();
      }
    }
  }

  /** The key of a worker: the ordinal of its device and its number there. */
  private record Lane(int ordinal, int number) {
    String threadName() {
      String whose = ordinal == Tile.CPU ? "cpu" : "device-" + ordinal;
      return "vramkit-scatter-" + whose + (number == 0 ? "" : "-" + number);
    }
  }

  /** Length of one wait for the workers after an interrupt. */
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Number of these waits: several, because a pause of the machine may use up one. */
  private static final int POLLS = 10;

  /**
   * Guards {@link #threads} and {@link #closed}, so that no work is submitted after the close. Held
   * while a thread is created, never while waiting for one.
   */
  private final Object lock = new Object();

  private final Map<Lane, ThreadPoolExecutor> threads = new HashMap<>();
  private boolean closed;

  /** Number of submitted tasks that have not ended. */
  private final AtomicInteger inProgress = new AtomicInteger();

  /**
   * Submits work to the worker of one of the device's lanes.
   *
   * @param lane the lane, from 0
   * @throws RejectedExecutionException after {@link #shutdown}
   */
  void submit(int ordinal, int lane, Runnable work) {
    synchronized (lock) {
      if (closed) {
        throw new RejectedExecutionException("the workers are closed");
      }
      ExecutorService worker = threads.computeIfAbsent(new Lane(ordinal, lane), this::newWorker);
      inProgress.incrementAndGet();
      try {
        worker.execute(counted(waitedFor(work)));
      } catch (RuntimeException | Error e) {
        inProgress.decrementAndGet();
        throw e;
      }
    }
  }

  private Runnable counted(Runnable work) {
    return () -> {
      try {
        work.run();
      } finally {
        inProgress.decrementAndGet();
      }
    };
  }

  /** Returns whether more work is queued for a lane. */
  boolean hasQueuedWork(int ordinal, int lane) {
    synchronized (lock) {
      ThreadPoolExecutor worker = threads.get(new Lane(ordinal, lane));
      return worker != null && !worker.getQueue().isEmpty();
    }
  }

  private ThreadPoolExecutor newWorker(Lane lane) {
    return new ThreadPoolExecutor(
        1,
        1,
        0,
        TimeUnit.NANOSECONDS,
        new LinkedBlockingQueue<>(),
        work -> new WorkerThread(this, work, lane));
  }

  /** Wraps work of a worker, so that the executing thread knows which workers wait for it. */
  private static Runnable waitedFor(Runnable work) {
    if (!(Thread.currentThread() instanceof WorkerThread outer)) {
      return work;
    }
    Set<Workers> all = new HashSet<>(outer.waiting);
    all.add(outer.owner);
    return () -> ((WorkerThread) Thread.currentThread()).run(work, all);
  }

  /**
   * Returns whether the calling thread is one of these workers, or runs a tile that they wait for.
   */
  boolean isInside() {
    return Thread.currentThread() instanceof WorkerThread worker
        && (worker.owner == this || worker.waiting.contains(this));
  }

  /** Refuses further work and lets the workers end after the submitted work. */
  void shutdown() {
    synchronized (lock) {
      closed = true;
      threads.values().forEach(ExecutorService::shutdown);
    }
  }

  /**
   * Waits for the workers to end after {@link #shutdown}.
   *
   * @return whether all ended in time
   * @throws InterruptedException if the thread was interrupted while tiles were in progress; the
   *     workers end after their tiles
   */
  boolean awaitEnd(Duration deadline) throws InterruptedException {
    List<ExecutorService> all;
    synchronized (lock) {
      all = List.copyOf(threads.values());
    }
    try {
      return haveEnded(all, TimeUnit.NANOSECONDS.convert(deadline));
    } catch (InterruptedException e) {
      // The exception has cleared the interrupt flag, so these waits are not interrupted again.
      for (int i = 0; i < POLLS && inProgress.get() > 0; i++) {
        haveEnded(all, POLL_NANOS);
      }
      if (inProgress.get() > 0) {
        throw e;
      }
      boolean ended = haveEnded(all, TimeUnit.NANOSECONDS.convert(deadline));
      Thread.currentThread().interrupt();
      return ended;
    }
  }

  private static boolean haveEnded(List<ExecutorService> all, long nanos)
      throws InterruptedException {
    long end = System.nanoTime() + nanos;
    boolean ended = true;
    for (ExecutorService each : all) {
      ended &= each.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
    return ended;
  }

  /** Returns the error of a run whose scatter was closed meanwhile. */
  static ClosedException closedMeanwhile() {
    return new ClosedException(
        "the scatter of this run", "it starts no more tiles", "close it after its runs");
  }
}
