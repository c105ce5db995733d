package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;

/**
 * Neighbouring free blocks and holes that a growth may take together for a stream although they
 * cannot merge: its own unsettled blocks, settled ones, and the holes between them. Valid while the
 * heap's lock is held.
 *
 * @param first the lowest block
 * @param size bytes of all of them
 */
record FreeSpan(Block first, long size) {
  long end() {
    return first.address + size;
  }

  /**
   * The span around a free block that the stream may take. Each span is found once in a search.
   *
   * @param search a number that the search before did not have
   * @return null if a block of the span was asked about before
   */
  static @Nullable FreeSpan around(Block middle, StreamState owner, int search) {
    if (middle.search == search) {
      return null;
    }
    middle.search = search;
    Block first = middle;
    for (Block left = middle.previous; left != null && isFor(left, owner); ) {
      left.search = search;
      first = left;
      left = left.previous;
    }
    long end = middle.end();
    for (Block right = middle.next; right != null && isFor(right, owner); ) {
      right.search = search;
      end = right.end();
      right = right.next;
    }
    return new FreeSpan(first, end - first.address);
  }

  private static boolean isFor(Block block, StreamState owner) {
    return switch (block.place) {
      case SETTLED, HOLE -> true;
      case UNSETTLED -> block.heap == owner;
      case TAKEN, STUCK, AWAY -> false;
    };
  }

  /** Bytes without memory beneath a part of the span, in whole pages. */
  long missing(long from, long to) {
    Region region = first.region;
    long missing = 0;
    for (Block each = first; each != null && each.address < to; each = each.next) {
      if (each.place == Block.Place.HOLE && each.end() > from) {
        long low = region.pageUpTo(Math.max(from, each.address));
        long high = region.pageFrom(Math.min(to, each.end()));
        missing += high - low;
      }
    }
    return missing;
  }
}
