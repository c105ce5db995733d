package org.vramkit.pool.caching.internal.heap;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.internal.page.PageBitmap;
import org.vramkit.pool.caching.internal.page.PageTable;

/**
 * The settled ranges of a heap over pages, and which range a page is in. Under the heap's lock.
 *
 * <p>Nearly every range has memory beneath all of it, and stands once among the pieces of memory.
 * One that moves have left with holes, or that never had memory, stands among those that lack some,
 * by its addresses; and its lowest pieces stand among the pieces, because they can be had at once.
 */
final class SettledRanges {
  /**
   * So many pieces of a range are entered, the lowest: more are rare, and room is made for these.
   */
  static final int PIECES = 4;

  /** What a range has for the number of its pieces if it is one. */
  private static final int WHOLE = -1;

  private final PageTable table;
  private final FreeIndex smallPieces = new FreeIndex();
  private final FreeIndex largePieces = new FreeIndex();
  private final FreeIndex smallLacking = new FreeIndex();
  private final FreeIndex largeLacking = new FreeIndex();

  /** The first whole pages of ranges, and the range of each. */
  private final PageBitmap firsts = new PageBitmap();

  private @Nullable Block[] ranges = new Block[0];

  SettledRanges(PageTable table) {
    this.table = table;
  }

  /** Memory that lies in one piece, by its size: whole ranges, and pieces of others. */
  FreeIndex pieces(boolean small) {
    return small ? smallPieces : largePieces;
  }

  /** Ranges that lack memory. */
  FreeIndex lacking(boolean small) {
    return small ? smallLacking : largeLacking;
  }

  /** Whether a range in here has memory beneath all of it. */
  static boolean isWhole(Block settled) {
    return settled.pieces == WHOLE;
  }

  boolean isEmpty(boolean small) {
    return pieces(small).isEmpty() && lacking(small).isEmpty();
  }

  /** Whether no range of a kind has so many addresses. */
  boolean isUsedUp(boolean small, long size) {
    return pieces(small).bestSize(size) == Long.MAX_VALUE
        && lacking(small).bestSize(size) == Long.MAX_VALUE;
  }

  /** All ranges; a copy. */
  List<Block> all() {
    List<Block> all = smallPieces.copy();
    all.addAll(largePieces.copy());
    all.removeIf(range -> !isWhole(range));
    all.addAll(smallLacking.copy());
    all.addAll(largeLacking.copy());
    return all;
  }

  /** Makes room for pages below one. */
  void prepareTo(int pages) {
    if (pages > ranges.length) {
      firsts.prepare(pages);
      ranges = Arrays.copyOf(ranges, pages);
    }
  }

  /** Makes room for ranges, so that entering them needs no memory of the JVM. */
  void prepare(boolean small, int additions) {
    pieces(small).prepare(additions * PIECES);
    lacking(small).prepare(additions);
  }

  /** Makes room for what so many extents leave where they are taken away or laid. */
  void prepareExtents(int extents) {
    prepare(true, extents + 1);
    prepare(false, extents + 1);
  }

  /** Enters untouched addresses, for whose pages there is no room yet. */
  void enterUntouched(Block range) {
    range.pieces = 0;
    lacking(range.segment.small).add(range);
  }

  /** A range became settled, or memory was laid beneath a part of it. */
  void enter(Block range) {
    int first = table.pageAfter(range.address);
    if (first < Math.min(ranges.length, table.pageOf(range.end()))) {
      firsts.set(first, first + 1);
      ranges[first] = range;
    }
    boolean small = range.segment.small;
    long mappedTo = table.nextUnmapped(range.address, range.end());
    if (mappedTo == range.end()) {
      range.pieces = WHOLE;
      pieces(small).add(range);
    } else {
      lacking(small).add(range);
      range.pieces = enterPieces(range, mappedTo, pieces(small));
    }
  }

  /** It is so no more, or its memory is about to change. */
  void leave(Block range) {
    int first = table.pageAfter(range.address);
    if (first < ranges.length && ranges[first] == range) {
      firsts.clear(first, first + 1);
      ranges[first] = null;
    }
    boolean small = range.segment.small;
    if (isWhole(range)) {
      pieces(small).remove(range);
    } else {
      lacking(small).remove(range);
      leavePieces(range, pieces(small));
    }
  }

  /** Returns how many pieces it has entered. */
  private int enterPieces(Block range, long firstEnd, FreeIndex pieces) {
    int entered = 0;
    long from = range.address;
    long to = firstEnd;
    while (true) {
      if (to > from) {
        pieces.add(to - from, from, range);
        entered++;
      }
      from = entered == PIECES ? range.end() : table.nextMapped(to, range.end());
      if (from == range.end()) {
        return entered;
      }
      to = table.nextUnmapped(from, range.end());
    }
  }

  private void leavePieces(Block range, FreeIndex pieces) {
    long to = range.address;
    for (int left = range.pieces; left > 0; left--) {
      long from = table.nextMapped(to, range.end());
      to = table.nextUnmapped(from, range.end());
      pieces.remove(to - from, from, range);
    }
  }

  /** The settled range that a page lies wholly inside; null if it lies in none. */
  @Nullable Block rangeOf(int page) {
    int first = firsts.previous(page);
    Block range = first < 0 ? null : ranges[first];
    return range != null && page < table.pageOf(range.end()) ? range : null;
  }
}
