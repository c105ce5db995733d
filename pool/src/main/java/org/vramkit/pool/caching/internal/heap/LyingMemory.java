package org.vramkit.pool.caching.internal.heap;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.internal.page.PageBitmap;
import org.vramkit.pool.caching.internal.page.PageTable;

/**
 * The memory that lies beneath settled ranges, in one piece each, by size: what can be had at once
 * although moves have left holes in a range. Nearly every range is one such piece as a whole. And
 * which range a page is in. Under the heap's lock.
 */
final class LyingMemory {
  /**
   * So many pieces of a range are entered, the lowest: more are rare, and room is made for these.
   */
  static final int PIECES = 4;

  private final PageTable table;
  private final FreeIndex small = new FreeIndex();
  private final FreeIndex large = new FreeIndex();

  /** The first whole pages of ranges, and the range of each. */
  private final PageBitmap firsts = new PageBitmap();

  private @Nullable Block[] ranges = new Block[0];

  LyingMemory(PageTable table) {
    this.table = table;
  }

  /** The pieces of one kind of ranges. */
  FreeIndex pieces(boolean ofSmall) {
    return ofSmall ? small : large;
  }

  /** Makes room for pages below one. */
  void prepareTo(int pages) {
    if (pages > ranges.length) {
      firsts.prepare(pages);
      ranges = Arrays.copyOf(ranges, pages);
    }
  }

  /** Makes room for ranges, so that entering them needs no memory of the JVM. */
  void prepare(boolean ofSmall, int ranges) {
    pieces(ofSmall).prepare(ranges * PIECES);
  }

  /** Makes room for what so many extents leave where they are taken away or laid. */
  void prepareExtents(int extents) {
    small.prepare(extents + PIECES);
    large.prepare(extents + PIECES);
  }

  /** A range became settled, or memory was laid beneath a part of it. */
  void enter(Block range) {
    int first = table.pageAfter(range.address);
    if (first < Math.min(ranges.length, table.pageOf(range.end()))) {
      firsts.set(first, first + 1);
      ranges[first] = range;
    }
    goThrough(range, true);
  }

  /** It is so no more, or its memory is about to change. */
  void leave(Block range) {
    int first = table.pageAfter(range.address);
    if (first < ranges.length && ranges[first] == range) {
      firsts.clear(first, first + 1);
      ranges[first] = null;
    }
    goThrough(range, false);
  }

  private void goThrough(Block range, boolean enters) {
    FreeIndex pieces = pieces(range.segment.small);
    long from = table.nextMapped(range.address, range.end());
    for (int i = 0; i < PIECES && from < range.end(); i++) {
      long to = table.nextUnmapped(from, range.end());
      if (enters) {
        pieces.add(to - from, from, range);
      } else {
        pieces.remove(to - from, from, range);
      }
      from = table.nextMapped(to, range.end());
    }
  }

  /** The settled range that a page lies wholly inside; null if it lies in none. */
  @Nullable Block rangeOf(int page) {
    int first = firsts.previous(page);
    Block range = first < 0 ? null : ranges[first];
    return range != null && page < table.pageOf(range.end()) ? range : null;
  }
}
