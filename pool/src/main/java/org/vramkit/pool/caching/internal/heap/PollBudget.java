package org.vramkit.pool.caching.internal.heap;

import java.util.concurrent.atomic.AtomicInteger;
import org.vramkit.api.units.ByteSize;

/**
 * Decides how often streams are polled before memory is taken from the driver, because their work
 * may soon release memory.
 *
 * <p>A poll costs some 1.5 us, a chunk that is created some 24 us and as much again when it goes
 * back. A chunk that need not be created therefore pays for several polls. Unsuccessful polls use
 * up what was saved. If streams never drain, soon only a single poll is made before memory is
 * taken, which is enough to notice a change.
 *
 * <p>Threads that poll concurrently may each use the whole budget.
 */
public final class PollBudget {
  /** Polls that cost as much as a chunk. */
  public static final int POLLS_FOR_CHUNK = 16;

  /** Bytes of a chunk, about. */
  private static final long CHUNK_BYTES = 20 * ByteSize.MIB;

  /** Chunks that may be polled for in vain before any was saved, and the most that is saved up. */
  private static final int CHUNKS = 64;

  /** Streams that are asked at the price of one poll: a chunk costs more than all of them. */
  private static final int STREAMS = 8;

  private final int pollsForChunk;
  private final AtomicInteger left;

  /**
   * A budget that begins full, in the hope that polls pay.
   *
   * @param pollsForChunk made at most for each chunk that would be created; 0 never polls
   */
  PollBudget(int pollsForChunk) {
    this.pollsForChunk = pollsForChunk;
    this.left = new AtomicInteger(CHUNKS * pollsForChunk);
  }

  /** How many polls an allocation may make. */
  public int pollsFor(long size) {
    return (int) Math.min(worthOf(size), Math.max(1, left.get()));
  }

  private long worthOf(long size) {
    return pollsForChunk * Math.min(CHUNKS, 1 + size / CHUNK_BYTES);
  }

  /**
   * Notes that streams were asked, each once.
   *
   * @return how many polls that was
   */
  public int polled(int streams) {
    int polls = Math.max(1, streams / STREAMS);
    left.updateAndGet(before -> Math.max(0, before - polls));
    return polls;
  }

  /** Notes that memory for a request need not be taken. */
  public void saved(long size) {
    long most = (long) CHUNKS * pollsForChunk;
    left.updateAndGet(before -> (int) Math.min(most, before + worthOf(size)));
  }
}
