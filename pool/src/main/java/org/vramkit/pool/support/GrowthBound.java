package org.vramkit.pool.support;

import org.vramkit.api.units.ByteSize;

/**
 * The most that a pool may reserve, whatever its budget allows: twice the peak of what was live,
 * and {@link #SLACK} more. Where it would reserve more, free memory goes back before more is taken.
 */
public final class GrowthBound {
  /** Bytes that a pool of any size may keep. */
  public static final long SLACK = 64 * ByteSize.MIB;

  private GrowthBound() {}

  /**
   * How many free bytes have to go back before more is taken.
   *
   * @param wanted bytes that are about to be taken, and to be live
   * @param reserved bytes that the pool has
   * @param live how many of these are live
   * @param peakLive the most that were live at once
   * @return 0 if none has to
   */
  public static long excess(long wanted, long reserved, long live, long peakLive) {
    long peak = Math.max(peakLive, live + wanted);
    long bound = peak > (Long.MAX_VALUE - SLACK) / 2 ? Long.MAX_VALUE : 2 * peak + SLACK;
    return Math.max(0, reserved + wanted - bound);
  }
}
