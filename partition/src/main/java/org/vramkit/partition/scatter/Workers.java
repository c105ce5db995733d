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
 * A thread for each lane of a device, made when its first tile comes: one, or two where chunks
 * overlap. Never those of a shared work-stealing pool: a tile that waits there for another parallel
 * call can wait for itself (requirement S5.6).
 */
// Not final: a test lets it run out of threads.
class Workers {
  /**
   * A worker knows whose it is and whose workers wait for its tile, so that a scatter inside its
   * own tile is seen, be it through another scatter. Used by the thread itself alone.
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

  /** The queue of a device's tiles. */
  private record Lane(int ordinal, int number) {
    String threadName() {
      String whose = ordinal == Tile.CPU ? "cpu" : "device-" + ordinal;
      return "vramkit-scatter-" + whose + (number == 0 ? "" : "-" + number);
    }
  }

  /** Ample for a worker that has told of its tile's end to be through with it. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Several looks, because a machine that stands still for a while uses up but one. */
  private static final int LOOKS = 10;

  /**
   * Guards {@link #threads} and {@link #closed}, so that nothing is submitted to a worker after the
   * close. Held while a thread is made, never while one is waited for.
   */
  private final Object lock = new Object();

  private final Map<Lane, ThreadPoolExecutor> threads = new HashMap<>();
  private boolean closed;

  /** Counts the work that was given to workers and is not done. */
  private final AtomicInteger underWay = new AtomicInteger();

  /**
   * Lets the worker of a device do something, once it has done what it was given before.
   *
   * @throws RejectedExecutionException after the close
   */
  void submit(int ordinal, Runnable work) {
    submit(ordinal, 0, work);
  }

  /**
   * The same for one of the device's lanes.
   *
   * @param lane from 0
   */
  void submit(int ordinal, int lane, Runnable work) {
    synchronized (lock) {
      if (closed) {
        throw new RejectedExecutionException("the workers are closed");
      }
      ExecutorService worker = threads.computeIfAbsent(new Lane(ordinal, lane), this::newWorker);
      underWay.incrementAndGet();
      try {
        worker.execute(counted(waitedFor(work)));
      } catch (RuntimeException | Error e) {
        underWay.decrementAndGet();
        throw e;
      }
    }
  }

  private Runnable counted(Runnable work) {
    return () -> {
      try {
        work.run();
      } finally {
        underWay.decrementAndGet();
      }
    };
  }

  /** Returns whether a lane has been given more than what it does now. */
  boolean isWanted(int ordinal, int lane) {
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

  /** Marks work as waited for by the submitting thread, and by the threads that wait for that. */
  private static Runnable waitedFor(Runnable work) {
    if (!(Thread.currentThread() instanceof WorkerThread outer)) {
      return work;
    }
    Set<Workers> all = new HashSet<>(outer.waiting);
    all.add(outer.owner);
    return () -> ((WorkerThread) Thread.currentThread()).run(work, all);
  }

  /** Returns whether this thread is one of these, or one that these wait for. */
  boolean isInside() {
    return Thread.currentThread() instanceof WorkerThread worker
        && (worker.owner == this || worker.waiting.contains(this));
  }

  /** Takes no more, and lets the workers end once they have done what they were given. */
  void shutdown() {
    synchronized (lock) {
      closed = true;
      threads.values().forEach(ExecutorService::shutdown);
    }
  }

  /**
   * Waits for the workers to end after {@link #shutdown}.
   *
   * @return whether all did in time
   * @throws InterruptedException if the thread was interrupted while tiles were under way; the
   *     workers end when their tiles have
   */
  boolean awaitEnd(Duration deadline) throws InterruptedException {
    List<ExecutorService> all;
    synchronized (lock) {
      all = List.copyOf(threads.values());
    }
    try {
      return haveEnded(all, TimeUnit.NANOSECONDS.convert(deadline));
    } catch (InterruptedException e) {
      // The wait took the flag away, so these are not disturbed by it.
      for (int i = 0; i < LOOKS && underWay.get() > 0; i++) {
        haveEnded(all, LOOK_NANOS);
      }
      if (underWay.get() > 0) {
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

  /** Returns the error of a run whose scatter is closed before it has ended. */
  static ClosedException closedMeanwhile() {
    return new ClosedException(
        "the scatter of this run", "it starts no more tiles", "close it after its runs");
  }
}
