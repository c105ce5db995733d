package org.vramkit.pool.caching.internal.heap;

/**
 * A range of addresses that blocks tile without gaps: memory of one plain allocation, or the one
 * reservation over which the page heap maps its pages. Neighbouring blocks of different segments
 * never merge.
 */
public final class Segment {
  final long address;
  final long size;

  /** Whether it holds blocks of the small pool; decides how blocks are split. */
  public final boolean small;

  /** The block at {@link #address}; guarded by the heap's lock. */
  public Block first;

  @SuppressWarnings("this-escape")
  public Segment(long address, long size, boolean small) {
    this.address = address;
    this.size = size;
    this.small = small;
    this.first = new Block(this, address, size);
  }

  /** Whether it is one free block that nothing can still be using. */
  boolean isReleasable() {
    return first.place == Block.Place.SETTLED && first.size == size;
  }
}
