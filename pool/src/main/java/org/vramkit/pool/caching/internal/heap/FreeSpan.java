package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;

/**
 * Neighbouring free ranges that one stream may take together: its own unsettled ones and settled
 * ones beside and between them, which cannot merge yet. A run may be a single range. Valid while
 * the heap's lock is held.
 *
 * @param first the lowest range
 * @param size bytes of all of them
 */
record FreeSpan(Block first, long size) {
  /**
   * A place for a block in such a run.
   *
   * @param missing pages without memory
   * @param sparing whether extents are cut for the sake of others
   */
  record Place(FreeSpan range, long address, int missing, boolean sparing) {}

  long end() {
    return first.address + size;
  }

  /** Whether nobody's work uses any of it. */
  boolean isSettled() {
    for (Block each = first; each != null && each.address < end(); each = each.next) {
      if (each.place != Block.Place.SETTLED) {
        return false;
      }
    }
    return true;
  }

  /**
   * The run around a free range that the stream may take, once in each search: null if a range of
   * the run was given before.
   *
   * @param search a number that the search before did not have
   */
  static @Nullable FreeSpan unseen(Block own, StreamState owner, int search) {
    if (own.search == search) {
      return null;
    }
    own.search = search;
    Block first = own;
    long end = own.end();
    // Settled ranges side by side are one: without unsettled ones there is nothing to add.
    if (!owner.unsettled(own.segment.small).isEmpty()) {
      for (Block left = own.previous; left != null && isFor(left, owner); left = left.previous) {
        left.search = search;
        first = left;
      }
      for (Block right = own.next; right != null && isFor(right, owner); right = right.next) {
        right.search = search;
        end = right.end();
      }
    }
    return new FreeSpan(first, end - first.address);
  }

  private static boolean isFor(Block block, StreamState owner) {
    return block.place == Block.Place.SETTLED
        || (block.place == Block.Place.UNSETTLED && block.heap == owner);
  }
}
