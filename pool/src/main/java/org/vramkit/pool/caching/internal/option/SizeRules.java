package org.vramkit.pool.caching.internal.option;

import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * Computes the block sizes and segments of requests. The constants are those of PyTorch, so that
 * its users find the same behaviour (requirements S4.1, S4.2, S4.4).
 */
public final class SizeRules {
  /** Every block size is a multiple of this. */
  public static final long QUANTUM = 512;

  /** Every block address is a multiple of this. */
  public static final long ALIGNMENT = 256;

  public static final long MAX_ALIGNMENT = 2 * ByteSize.MIB;

  /** Requests up to this many bytes come from small segments. */
  public static final long SMALL_LIMIT = ByteSize.MIB;

  static final long SMALL_SEGMENT = 2 * ByteSize.MIB;

  /** Size of a segment for requests above {@link #SMALL_LIMIT} and below {@link #HUGE_LIMIT}. */
  public static final long LARGE_SEGMENT = 20 * ByteSize.MIB;

  /** Requests from here on get a segment of their size, rounded up to {@link #HUGE_ROUNDING}. */
  static final long HUGE_LIMIT = 10 * ByteSize.MIB;

  public static final long HUGE_ROUNDING = 2 * ByteSize.MIB;

  /** Largest request. Up to it no computation of sizes overflows. */
  public static final long MAX_REQUEST = 1L << 60;

  private final RoundingDivisions divisions;
  private final boolean isRounding;

  public SizeRules(RoundingDivisions divisions) {
    this.divisions = divisions;
    this.isRounding = !divisions.divisionsFrom().isEmpty();
  }

  /** Returns the block size of a request from 1 byte to {@link #MAX_REQUEST}. */
  public long round(long bytes) {
    long exact = (bytes + QUANTUM - 1) & -QUANTUM;
    return isRounding ? divisions.round(exact) : exact;
  }

  public static boolean isSmall(long blockBytes) {
    return blockBytes <= SMALL_LIMIT;
  }

  /** Returns the size of the segment that a block needs if no free block fits. */
  public static long segmentFor(long blockBytes) {
    if (isSmall(blockBytes)) {
      return SMALL_SEGMENT;
    }
    return blockBytes < HUGE_LIMIT ? LARGE_SEGMENT : ByteSize.roundUp(blockBytes, HUGE_ROUNDING);
  }

  /** Returns the size of a block in its own segment: all of it if the rest is too small to keep. */
  public static long blockInSegment(long blockBytes) {
    long segment = segmentFor(blockBytes);
    return splits(isSmall(blockBytes), segment - blockBytes) ? blockBytes : segment;
  }

  /** Returns whether the rest of a block is large enough to become a block. */
  public static boolean splits(boolean smallSegment, long rest) {
    return smallSegment ? rest >= QUANTUM : rest > SMALL_LIMIT;
  }

  /** Refuses an alignment that is not a power of two up to {@link #MAX_ALIGNMENT}. */
  public static void requireAlignment(long alignment) {
    if (Long.bitCount(alignment) != 1 || alignment < 1 || alignment > MAX_ALIGNMENT) {
      throw new InvalidArgumentException(
          "alignment must be a power of two up to 2 MiB, not " + alignment);
    }
  }
}
