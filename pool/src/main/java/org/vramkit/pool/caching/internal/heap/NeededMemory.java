package org.vramkit.pool.caching.internal.heap;

/**
 * The peak of the memory that a heap needs, for the decay to keep. Needed is all memory that could
 * not return to the driver. Memory freed by an idle stream is not needed, even if the stream was
 * not queried since.
 *
 * <p>Counts whole chunks beneath free blocks with every change of a free block, which costs a tenth
 * of a search. Heaps without decay therefore have none. Guarded by the heap's lock.
 */
final class NeededMemory {
  /** Bytes of the chunks that lie wholly in settled blocks. */
  private long settledBytes;

  /**
   * Bytes of the chunks that lie wholly in unsettled blocks of streams that were idle at their last
   * query.
   */
  private long idleBytes;

  private long peak;

  /**
   * Counts a range of a free block that enters or leaves a free index. The chunks beneath it stay
   * the same between both.
   *
   * @param bytes size of the range
   * @param sign 1 if it enters, -1 if it leaves
   */
  void count(Block block, long address, long bytes, int sign) {
    long whole = sign * block.region.wholeBytes(address, address + bytes);
    if (block.place == Block.Place.SETTLED) {
      settledBytes += whole;
    } else if (block.place == Block.Place.UNSETTLED) {
      StreamState stream = block.owner();
      asked(stream);
      stream.freeableBytes += whole;
      idleBytes += stream.isIdle ? whole : 0;
    }
  }

  /** Notes whether a stream is idle now, as far as its last query has shown. */
  void asked(StreamState stream) {
    boolean idle = !stream.progress.isBehind();
    if (idle != stream.isIdle) {
      stream.isIdle = idle;
      idleBytes += idle ? stream.freeableBytes : -stream.freeableBytes;
    }
  }

  /** Updates the peak from the bytes that are reserved and needed now. */
  void note(long reserved) {
    peak = Math.max(peak, needed(reserved));
  }

  /** Returns the peak since the last call. */
  long take(long reserved) {
    note(reserved);
    long most = peak;
    peak = needed(reserved);
    return most;
  }

  private long needed(long reserved) {
    return reserved - settledBytes - idleBytes;
  }
}
