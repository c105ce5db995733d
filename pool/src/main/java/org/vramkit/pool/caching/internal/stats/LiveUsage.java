package org.vramkit.pool.caching.internal.stats;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What is live in all stripes of all pools together, and its peaks: never below the truth, and
 * exact while one thread at a time calls, see {@link Claims}. Any thread adds at any time, without
 * a lock: each level is exact by itself, and no two are read at one moment.
 */
public class LiveUsage {
  /** Claims of this many blocks at a time go with claims of bytes. */
  private static final long CHUNK_COUNT = 256;

  /**
   * One quantity and its peak. While it rises the peak is what it is now, and is noted before it
   * falls: so each change is one atomic step, and the peak misses none.
   */
  static final class Level {
    private final AtomicLong current = new AtomicLong();
    private final AtomicLong noted = new AtomicLong();

    void add(long delta) {
      if (delta > 0) {
        current.addAndGet(delta);
      } else if (delta < 0) {
        long before;
        do {
          before = current.get();
          note(before);
        } while (!current.compareAndSet(before, before + delta));
        // Peaks were perhaps reset between the two.
        note(before);
      }
    }

    void note(long value) {
      // Reads first: far below the peak, threads share this and write nothing.
      long highest = noted.get();
      while (value > highest && !noted.compareAndSet(highest, value)) {
        highest = noted.get();
      }
    }

    long current() {
      return current.get();
    }

    long peak() {
      // In this order, because a value is noted before it falls.
      long now = current.get();
      return Math.max(now, noted.get());
    }

    long room() {
      long now = current.get();
      return Math.max(0, noted.get() - now);
    }

    void resetPeak() {
      noted.set(0);
    }
  }

  private final long chunkBytes;

  /** Of all pools. */
  public final Claims.Unused unused;

  /** Of all pools, by tag. */
  public final TagGauges tags;

  private final Level requested = new Level();
  private final Level allocated = new Level();
  private final Level count = new Level();
  private final Level pending = new Level();

  /** The most that was allocated or pending at once while something was pending; not a sum. */
  private final Level mostActive = new Level();

  private final AtomicLong pendingRemoved = new AtomicLong();

  /** Over all pools. */
  public LiveUsage(long chunkBytes) {
    this.chunkBytes = chunkBytes;
    this.unused = new Claims.Unused();
    this.tags = new TagGauges();
  }

  /** For a part of what another one is about. */
  public LiveUsage(LiveUsage total) {
    this.chunkBytes = total.chunkBytes;
    this.unused = total.unused;
    this.tags = total.tags;
  }

  long chunkBytes() {
    return chunkBytes;
  }

  long chunkCount() {
    return chunkBytes == 0 ? 0 : CHUNK_COUNT;
  }

  void add(long requestedDelta, long allocatedDelta, long countDelta) {
    requested.add(requestedDelta);
    allocated.add(allocatedDelta);
    count.add(countDelta);
    noteActive();
  }

  /** Allocated blocks were closed and wait for other streams. */
  void closedAndPending(long bytes) {
    pending.add(bytes);
    allocated.add(-bytes);
    noteActive();
  }

  /** Such blocks became free. */
  public void pendingRemoved(long bytes) {
    pendingRemoved.addAndGet(bytes);
    pending.add(-bytes);
  }

  private void noteActive() {
    long waiting = pending.current();
    if (waiting > 0) {
      mostActive.note(allocated.current() + waiting);
    }
  }

  /** Whether all of it can be added below the peaks. */
  final boolean hasRoom(long requestedDelta, long allocatedDelta, long countDelta) {
    return requestedDelta <= requestedRoom()
        && allocatedDelta <= allocatedRoom()
        && countDelta <= countRoom();
  }

  /** By how much the bytes that were asked for can rise below their peak. */
  long requestedRoom() {
    return requested.room();
  }

  /** By how much the bytes of blocks can, as allocated ones and as active ones. */
  long allocatedRoom() {
    long waiting = pending.current();
    return waiting == 0
        ? allocated.room()
        : Math.min(allocated.room(), activePeak() - allocated.current() - waiting);
  }

  /** By how many the blocks can. */
  long countRoom() {
    return count.room();
  }

  /** Bytes of live blocks, with what stripes have claimed ahead. */
  public long allocatedBytes() {
    return allocated.current();
  }

  public long pendingBytes() {
    return pending.current();
  }

  public void resetPeaks() {
    requested.resetPeak();
    allocated.resetPeak();
    count.resetPeak();
    pending.resetPeak();
    mostActive.resetPeak();
    noteActive();
    resetTagPeaks();
  }

  void resetTagPeaks() {
    tags.resetPeaks();
  }

  /**
   * Peaks of requested, allocated, pending and active bytes and of blocks, none below what is live
   * now.
   *
   * @param pendingRemoved bytes that ever became free after having waited for other streams
   */
  public record Peaks(
      long requested, long allocated, long pending, long active, long count, long pendingRemoved) {}

  public Peaks peaks() {
    return new Peaks(
        requested.peak(),
        allocated.peak(),
        pending.peak(),
        activePeak(),
        count.peak(),
        pendingRemoved.get());
  }

  private long activePeak() {
    return Math.max(mostActive.peak(), allocated.peak());
  }
}
