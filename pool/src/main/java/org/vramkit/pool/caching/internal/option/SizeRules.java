package org.vramkit.pool.caching.internal.option;

import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.GrowthBound;

/**
 * How requests become block sizes and segments. The constants are PyTorch's, so that its users find
 * the same behaviour (requirements S4.1, S4.2, S4.4).
 */
public final class SizeRules {
  /** Every block is a multiple of this many bytes. */
  public static final long QUANTUM = 512;

  /** What every block's address is a multiple of, wherever its memory comes from. */
  public static final long ALIGNMENT = 256;

  /** The most that an address can be asked to be a multiple of. */
  public static final long MAX_ALIGNMENT = 2 * ByteSize.MIB;

  /** Requests up to this many bytes come from small segments. */
  public static final long SMALL_LIMIT = ByteSize.MIB;

  /** A small segment. */
  static final long SMALL_SEGMENT = 2 * ByteSize.MIB;

  /** What requests above {@link #SMALL_LIMIT} and below {@link #HUGE_LIMIT} take. */
  public static final long LARGE_SEGMENT = 20 * ByteSize.MIB;

  /** From here on a segment is the request, rounded up to {@link #HUGE_ROUNDING}. */
  static final long HUGE_LIMIT = 10 * ByteSize.MIB;

  /** What huge segments are a multiple of. */
  public static final long HUGE_ROUNDING = 2 * ByteSize.MIB;

  /** Above this no request is meant seriously; below it no sum of sizes here overflows. */
  public static final long MAX_REQUEST = 1L << 60;

  private final RoundingDivisions divisions;

  public SizeRules(RoundingDivisions divisions) {
    this.divisions = divisions;
  }

  /** The block size that a request from 1 byte to {@link #MAX_REQUEST} takes. */
  public long round(long bytes) {
    long exact = (bytes + QUANTUM - 1) & -QUANTUM;
    return divisions == RoundingDivisions.NONE ? exact : divisions.round(exact);
  }

  /** Whether blocks of this size come from small segments. */
  public static boolean isSmall(long blockBytes) {
    return blockBytes <= SMALL_LIMIT;
  }

  /** The segment that plain allocation takes for a block that nothing free can hold. */
  public static long segmentFor(long blockBytes) {
    if (isSmall(blockBytes)) {
      return SMALL_SEGMENT;
    }
    return blockBytes < HUGE_LIMIT ? LARGE_SEGMENT : ByteSize.roundUp(blockBytes, HUGE_ROUNDING);
  }

  /**
   * The block that a request takes of a segment of its own: all of it where the rest is not worth
   * keeping.
   */
  public static long blockInSegment(long blockBytes) {
    long segment = segmentFor(blockBytes);
    return splits(isSmall(blockBytes), segment - blockBytes) ? blockBytes : segment;
  }

  /**
   * The most bytes that are taken while free memory could serve instead: twice what was live at
   * once, and a little. No budget of time goes beyond.
   */
  public static long boundOf(long livePeak) {
    return 2 * livePeak + GrowthBound.SLACK;
  }

  /** Whether the rest of a segment's block is worth keeping as a block of its own. */
  public static boolean splits(boolean smallSegment, long rest) {
    return smallSegment ? rest >= QUANTUM : rest > SMALL_LIMIT;
  }

  /** Refuses what is no power of two up to {@link #MAX_ALIGNMENT}. */
  public static void requireAlignment(long alignment) {
    if (Long.bitCount(alignment) != 1 || alignment < 1 || alignment > MAX_ALIGNMENT) {
      throw new InvalidArgumentException(
          "alignment must be a power of two up to 2 MiB, not " + alignment);
    }
  }
}
