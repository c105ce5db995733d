package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.page.Extent;
import org.vramkit.pool.caching.internal.page.PageTable;

/** Whether the maps of a heap over pages tell the same as its extents and its blocks. */
public final class PageTableChecks {
  private PageTableChecks() {}

  /** At a quiet moment; what is no heap over pages agrees. */
  public static void assertAgrees(CachingAllocator allocator) {
    for (Arena pool : Insides.arenas(allocator)) {
      if (pool.heap instanceof PageHeap heap) {
        assertAgrees(heap);
      }
    }
  }

  private static void assertAgrees(PageHeap heap) {
    heap.segments().forEach(segment -> assertAgrees(heap.table, segment));
    assertPieces(heap, true);
    assertPieces(heap, false);
  }

  /** What lies beneath settled ranges is entered, and nothing else. */
  private static void assertPieces(PageHeap heap, boolean small) {
    Set<List<Long>> entered = new HashSet<>();
    FreeIndex.Walk walk = heap.settled.pieces(small).fits(0);
    while (walk.hasNext()) {
      long bytes = walk.nextSize();
      long from = walk.nextAddress();
      assertTrue(entered.add(List.of(from, from + bytes, walk.next().address)), "entered once");
    }
    Set<List<Long>> lying = new HashSet<>();
    for (Segment segment : heap.segments()) {
      for (Block block = segment.first; block != null; block = block.next) {
        if (segment.small == small && block.place == Block.Place.SETTLED) {
          long address = block.address;
          List<List<Long>> pieces = new ArrayList<>();
          heap.table.eachMappedRange(
              address, block.end(), (from, to) -> pieces.add(List.of(from, to, address)));
          lying.addAll(pieces.subList(0, Math.min(SettledRanges.PIECES, pieces.size())));
          assertRange(heap, block);
        }
      }
    }
    assertEquals(lying, entered, "what lies beneath settled ranges");
  }

  private static void assertRange(PageHeap heap, Block settled) {
    PageTable table = heap.table;
    int to = table.pageOf(settled.end());
    for (int page = table.pageAfter(settled.address); page < to; page++) {
      if (table.mapped.get(page)) {
        assertSame(settled, heap.settled.rangeOf(page), "the range of page " + page);
      }
    }
  }

  private static void assertAgrees(PageTable table, Segment segment) {
    for (Block block = segment.first; block != null; block = block.next) {
      int to = table.pageAfter(block.end());
      int page = table.pageOf(block.address);
      while (page < to) {
        int at = page;
        if (table.mapped.get(page)) {
          Extent extent = table.at(page);
          assertWhole(table, extent);
          assertEquals(
              isSettled(table, extent, block), table.movable.get(page), () -> at + " may move");
          page = extent.to();
        } else {
          assertFalse(table.movable.get(page), () -> at + " may move, and is not there");
          page++;
        }
      }
    }
  }

  private static void assertWhole(PageTable table, Extent extent) {
    boolean movable = table.movable.get(extent.from());
    for (int page = extent.from(); page < extent.to(); page++) {
      assertSame(extent, table.at(page), "what lies beneath page " + page);
      assertEquals(true, table.mapped.get(page), "page " + page + " is mapped");
      assertEquals(extent.pages() > 1, table.joint.get(page), "page " + page + " is joint");
      assertEquals(movable, table.movable.get(page), "page " + page + " may move as the others");
    }
  }

  private static boolean isSettled(PageTable table, Extent extent, Block block) {
    return block.place == Block.Place.SETTLED
        && table.addressOf(extent.from()) >= block.address
        && table.addressOf(extent.to()) <= block.end();
  }
}
