package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.internal.heap.FreeRanges.FreeSpan;

/**
 * Parts of the largest range of addresses in which streams that are far behind with their work
 * gather their blocks. What such a stream frees, it alone may take; among blocks of other streams
 * it would lie in pieces that serve none of its larger requests, side by side it is one range.
 * Guarded by the heap's lock.
 */
final class StreamAddressRegions {
  /** More streams than this share regions. */
  private static final int COUNT = 16;

  /**
   * Half of all addresses, which are several times the memory: less would run regions into each
   * other, more would make the maps of pages longer.
   */
  private static final int PARTS = 2 * COUNT;

  /** No place. */
  static final long NOWHERE = -1;

  /** They lie in these addresses; whoever has one keeps its number where they change. */
  @Nullable Segment range;

  private int given;

  /** Whether a range is untouched addresses, in which streams may have regions. */
  boolean mayHold(FreeSpan free) {
    return !free.first().segment.small && free.size() >= bytes() / 2;
  }

  /**
   * Where in untouched addresses a block lies in a stream's region, as low as can be; {@link
   * #NOWHERE} if it does not.
   *
   * @param start of the region
   */
  long placeIn(FreeSpan free, long start, long size) {
    long at = Math.max(free.first().address, start);
    return at < start + bytes() && at + size <= free.end() ? at : NOWHERE;
  }

  /** Where the stream's own begins; the first part of the range is nobody's. */
  long startFor(StreamState owner) {
    if (owner.region == 0) {
      owner.region = 1 + given++ % COUNT;
    }
    return (range == null ? 0 : range.address) + owner.region * bytes();
  }

  /** Of each. */
  private long bytes() {
    return range == null ? 0 : range.size / PARTS;
  }
}
