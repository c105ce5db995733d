package org.vramkit.pool.caching.internal.heap;

import java.util.concurrent.atomic.AtomicInteger;
import org.vramkit.api.units.ByteSize;

/**
 * Limits the polls of streams before memory is taken from the driver. Polls may find that work has
 * released memory.
 *
 * <p>A poll costs some 1.5 us. Creating a chunk costs some 24 us, and returning it as much again,
 * so a chunk that need not be created pays for several polls. Unsuccessful polls use up the budget.
 * If streams never drain, soon only one poll is made before memory is taken, which is enough to
 * notice a change.
 *
 * <p>Threads that poll concurrently may each use the whole budget.
 */
public final class PollBudget {
  /** The number of polls that cost as much as a chunk. */
  public static final int POLLS_FOR_CHUNK = 16;

  /** The approximate size of a chunk. */
  private static final long CHUNK_BYTES = 20 * ByteSize.MIB;

  /** The initial and the largest budget, in chunks. */
  private static final int CHUNKS = 64;

  /** The number of streams that are queried at the cost of one poll of the budget. */
  private static final int STREAMS = 8;

  private final int pollsForChunk;
  private final AtomicInteger left;

  /**
   * Creates a full budget.
   *
   * @param pollsForChunk maximum number of polls for each chunk that would be created; 0 never
   *     polls
   */
  PollBudget(int pollsForChunk) {
    this.pollsForChunk = pollsForChunk;
    this.left = new AtomicInteger(CHUNKS * pollsForChunk);
  }

  /** Returns the number of polls that an allocation may make. */
  public int pollsFor(long size) {
    return (int) Math.min(worthOf(size), Math.max(1, left.get()));
  }

  private long worthOf(long size) {
    return pollsForChunk * Math.min(CHUNKS, 1 + size / CHUNK_BYTES);
  }

  /**
   * Charges one query of each stream.
   *
   * @return the number of charged polls
   */
  public int polled(int streams) {
    int polls = Math.max(1, streams / STREAMS);
    left.updateAndGet(before -> Math.max(0, before - polls));
    return polls;
  }

  /** Refills the budget after a request was served without new memory. */
  public void saved(long size) {
    long most = (long) CHUNKS * pollsForChunk;
    left.updateAndGet(before -> (int) Math.min(most, before + worthOf(size)));
  }
}
