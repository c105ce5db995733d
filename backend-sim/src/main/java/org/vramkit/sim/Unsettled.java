package org.vramkit.sim;

/**
 * Memory that was freed in stream order. The driver returns it only when the host has synchronized
 * with the stream; that the stream has reached the free does not suffice.
 */
interface Unsettled {
  /**
   * Settles the first frees of a stream, up to a number; returns whether others of the stream
   * remain.
   */
  boolean settle(StreamQueue stream, long first);

  /**
   * Releases what exceeds the threshold of a pool; returns false if nothing will exceed one again,
   * because the pool is closed or the memory is none of a pool's.
   */
  default boolean releaseUnused() {
    return false;
  }
}
