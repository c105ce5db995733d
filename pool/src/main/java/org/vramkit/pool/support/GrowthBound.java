package org.vramkit.pool.support;

import org.vramkit.api.units.ByteSize;

/**
 * The bound of a pool's reserved bytes, even if its budget allows more: twice the peak of live
 * bytes, plus {@link #ALLOWANCE}. A pool that would exceed the bound returns free memory before it
 * takes more.
 */
public final class GrowthBound {
  /** Bytes beyond twice the peak, so that small pools keep their memory. */
  public static final long ALLOWANCE = 64 * ByteSize.MIB;

  private GrowthBound() {}

  /**
   * Computes how many free bytes a pool must return before it takes more.
   *
   * @return 0 if the pool may keep all
   */
  public static long excess(long wanted, long reserved, long live, long peakLive) {
    long peak = Math.max(peakLive, live + wanted);
    long bound = peak > (Long.MAX_VALUE - ALLOWANCE) / 2 ? Long.MAX_VALUE : 2 * peak + ALLOWANCE;
    return Math.max(0, reserved + wanted - bound);
  }
}
