package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;

/**
 * A range of addresses that blocks tile without gaps: memory of one plain allocation, or the one
 * reservation over which the page heap maps its pages. Neighbouring blocks of different segments
 * never merge.
 */
public final class Segment {
  /**
   * Ended blocks that are kept: more pieces than that rarely come at once, and each holds on to
   * what it knew last.
   */
  private static final int MOST_ENDED = 16;

  final long address;
  final long size;

  /** Whether it holds blocks of the small pool; decides how blocks are split. */
  public final boolean small;

  // Guarded by the heap's lock.

  /** The block at {@link #address}. */
  public Block first;

  /**
   * Blocks that merged into others, linked by {@code next}. The next pieces: a new object would be
   * memory that no processor has at hand.
   */
  private @Nullable Block ended;

  private int endedCount;

  @SuppressWarnings("this-escape")
  public Segment(long address, long size, boolean small) {
    this.address = address;
    this.size = size;
    this.small = small;
    this.first = new Block(this, address, size);
  }

  /** What will be a piece of a block of this segment. */
  Block newPiece() {
    Block piece = ended;
    if (piece == null) {
      return new Block(this, address, size);
    }
    ended = piece.next;
    endedCount--;
    piece.next = null;
    return piece;
  }

  /** A block merged into another one: nobody knows it any more. */
  void end(Block block) {
    block.previous = null;
    if (endedCount < MOST_ENDED) {
      block.next = ended;
      ended = block;
      endedCount++;
    }
  }

  /** Whether it is one free block that nothing can still be using. */
  boolean isReleasable() {
    return first.place == Block.Place.SETTLED && first.size == size;
  }
}
