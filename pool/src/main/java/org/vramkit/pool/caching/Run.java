package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.List;

/**
 * Neighbouring free ranges that one stream may take together: its own unsettled ones and settled
 * ones beside and between them, which cannot merge yet. A run may be a single range. Valid while
 * the heap's lock is held.
 *
 * @param first the lowest range
 * @param size bytes of all of them
 */
record Run(Block first, long size) {
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
   * The runs of at least a size around unsettled ranges of a stream: around those that are large
   * enough by themselves, best fits first, and around those that nearly are.
   *
   * @param most how many ranges of either kind to look around
   */
  static List<Run> of(StreamHeap owner, FreeIndex unsettled, long size, int most) {
    List<Run> runs = new ArrayList<>();
    Block fit = unsettled.bestFit(size);
    Block piece = fit == null ? unsettled.largest() : unsettled.before(fit);
    for (int i = 0; i < most && fit != null; i++) {
      addAround(fit, owner, size, runs);
      fit = unsettled.after(fit);
    }
    for (int i = 0; i < most && piece != null; i++) {
      addAround(piece, owner, size, runs);
      piece = unsettled.before(piece);
    }
    return runs;
  }

  private static void addAround(Block own, StreamHeap owner, long size, List<Run> runs) {
    Run run = around(own, owner);
    if (run.size >= size && !runs.contains(run)) {
      runs.add(run);
    }
  }

  private static Run around(Block own, StreamHeap owner) {
    Block first = own;
    for (Block left = own.previous; left != null && isFor(left, owner); left = left.previous) {
      first = left;
    }
    long end = own.end();
    for (Block right = own.next; right != null && isFor(right, owner); right = right.next) {
      end = right.end();
    }
    return new Run(first, end - first.address);
  }

  private static boolean isFor(Block block, StreamHeap owner) {
    return block.place == Block.Place.SETTLED
        || (block.place == Block.Place.UNSETTLED && block.heap == owner);
  }
}
