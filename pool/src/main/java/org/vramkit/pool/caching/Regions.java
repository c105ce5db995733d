package org.vramkit.pool.caching;

/**
 * Parts of the reservation in which streams that are never done with their work gather their blocks
 * (see {@link Patience}). What such a stream frees, it alone may take; among blocks of other
 * streams it would lie in pieces that serve none of its larger requests, side by side it is one
 * range. Guarded by the heap's lock.
 */
final class Regions {
  /** More streams than this share regions. */
  private static final int COUNT = 16;

  /**
   * Half of all addresses, which are several times the memory: less would run regions into each
   * other, more would make the maps of pages longer.
   */
  private static final int PARTS = 2 * COUNT;

  private final long base;
  private final long bytes;
  private int given;

  /** Regions of a reservation. */
  Regions(long base, long reservedBytes) {
    this.base = base;
    this.bytes = reservedBytes / PARTS;
  }

  /** The length of each. */
  long bytes() {
    return bytes;
  }

  /** Where the stream's own begins; the first part of the reservation is nobody's. */
  long startFor(StreamHeap owner) {
    if (owner.region == 0) {
      owner.region = 1 + given++ % COUNT;
    }
    return base + owner.region * bytes;
  }
}
