package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.StreamCaches;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.PendingBlocks;

/**
 * Returns memory to the driver that was not needed for a window of time, which is divided into
 * twenty epochs. Thread-safe.
 *
 * <p>When an epoch has ended, unused caches are emptied, streams are queried, and whole chunks or
 * segments that are free return as far as {@link Backlog} allows. Memory held by a cache, by the
 * work of a stream or by the edge of a block counts as needed.
 *
 * <p>There is no background thread: a search behind the caches, or a call of the program, reads the
 * time. After several epochs without a call, the first call only reads it, and the next one returns
 * memory; otherwise a program that resumes would lose the memory that it is about to need.
 *
 * <p>The lock guards the history and all other state; the start of the epoch is read without it. It
 * is acquired before all others, and searches only try it.
 */
public final class Decay {
  public static final int EPOCHS = 20;

  private final ReentrantLock lock = new ReentrantLock();
  private final Backlog history = new Backlog(EPOCHS);
  private final LongSupplier clock;
  private final long epochNanos;
  private final Heap heap;
  private final StreamCaches streams;
  private final PendingBlocks pending;
  private final LongSupplier endedPools;
  private volatile long epochBegan;
  private boolean lookedAfterSilence;

  /**
   * Begins the first epoch.
   *
   * @param windowNanos after which nothing is kept that was not needed; more than 0
   * @param clock of nanoseconds, that never goes back
   * @param endedPools drains ended private pools; answers the bytes given back
   */
  Decay(
      long windowNanos,
      LongSupplier clock,
      Heap heap,
      StreamCaches streams,
      PendingBlocks pending,
      LongSupplier endedPools) {
    this.epochNanos = Math.max(1, windowNanos / EPOCHS);
    this.clock = clock;
    this.heap = heap;
    this.streams = streams;
    this.pending = pending;
    this.endedPools = endedPools;
    this.epochBegan = clock.getAsLong();
  }

  /**
   * A thread comes by that has left the hot path anyway, holding no lock. Mostly does nothing;
   * never waits for another thread that is at it, nor for the device.
   */
  void ride() {
    if (endedEpochs() == 0 || !lock.tryLock()) {
      return;
    }
    try {
      long ended = endedEpochs();
      if (ended > 1 && !lookedAfterSilence) {
        lookedAfterSilence = true;
        endEpochs(ended);
      } else if (ended > 0) {
        giveBack(ended, openHeaps());
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Does what is due.
   *
   * @return bytes given back
   */
  long run() {
    lock.lock();
    try {
      long ended = endedEpochs();
      return ended == 0 ? 0 : giveBack(ended, streams.all());
    } finally {
      lock.unlock();
    }
  }

  private long endedEpochs() {
    // A clock of the program may go back nevertheless; no epoch has ended then.
    return Math.max(0, (clock.getAsLong() - epochBegan) / epochNanos);
  }

  private void endEpochs(long ended) {
    long began = epochBegan;
    epochBegan = began + ended * epochNanos;
    history.ended(ended, heap.takeNeed());
  }

  /** Of a closed stream only the whole device can tell, and that is not worth a wait. */
  private List<StreamCache> openHeaps() {
    List<StreamCache> open = new ArrayList<>(streams.all());
    open.removeIf(each -> each.stream.isClosed());
    return open;
  }

  private long giveBack(long endedEpochs, List<StreamCache> asked) {
    lookedAfterSilence = false;
    heap.free(pending.poll());
    for (StreamCache each : streams.all()) {
      each.flushIdle(heap);
    }
    heap.settle(asked);
    endEpochs(endedEpochs);
    long given = heap.decayTo(history.kept());
    long ofEndedPools = endedPools.getAsLong();
    heap.books.decayedBytes.add(ofEndedPools);
    return given + ofEndedPools;
  }

  /**
   * How much memory was needed in each of the last epochs, and how much is to be kept for it.
   *
   * <p>What was last needed some time ago keeps a share that falls from all to nothing over the
   * window, slowly at both ends: by the smoothstep 6x^5 - 15x^4 + 10x^3, as jemalloc's decay of
   * dirty pages does. Unlike there not the pages that were freed in an epoch are counted but the
   * most that was needed at once: a program that fills and empties the same memory in every round
   * keeps it.
   *
   * <p>Not safe for threads.
   */
  static final class Backlog {
    /** The bytes needed in each past epoch, the latest first. */
    private final long[] needed;

    /** Nothing was needed yet. */
    Backlog(int epochs) {
      needed = new long[epochs];
    }

    /** Ends epochs, in each of which at most {@code mostNeeded} bytes were needed at once. */
    void ended(long epochs, long mostNeeded) {
      int count = (int) Math.min(epochs, needed.length);
      System.arraycopy(needed, 0, needed, count, needed.length - count);
      Arrays.fill(needed, 0, count, mostNeeded);
    }

    /** Bytes to be kept. */
    long kept() {
      double kept = 0;
      long younger = 0;
      for (int age = 0; age < needed.length; age++) {
        long here = Math.max(younger, needed[age]);
        kept += share((double) age / needed.length) * (here - younger);
        younger = here;
      }
      return (long) Math.ceil(kept);
    }

    private static double share(double age) {
      return 1 - age * age * age * (age * (6 * age - 15) + 10);
    }
  }
}
