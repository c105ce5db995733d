package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.ToLongFunction;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockView;
import org.vramkit.pool.caching.AllocatorSnapshot.SegmentView;

/** Holds the snapshot of an allocator against itself and against the counters. */
final class Snapshots {
  private Snapshots() {}

  /** Blocks lie in their segments without gaps, and their sums are those of the statistics. */
  static void assertAgree(CachingAllocator allocator, String where) {
    AllocatorSnapshot snapshot = allocator.getSnapshot();
    AllocatorStatistics counted = allocator.getStatistics();
    assertTiled(snapshot, where);
    assertEquals(
        counted.reserved().current(),
        snapshot.segments().stream().mapToLong(SegmentView::size).sum(),
        where + ": reserved");
    assertEquals(counted.allocated().current(), sum(snapshot, BlockState.LIVE, BlockView::size));
    assertEquals(
        counted.requested().current(),
        sum(snapshot, BlockState.LIVE, BlockView::requested),
        where + ": requested");
    assertEquals(
        counted.allocations().current(),
        sum(snapshot, BlockState.LIVE, block -> 1),
        where + ": live blocks");
    assertEquals(
        counted.active().current() - counted.allocated().current(),
        sum(snapshot, BlockState.PENDING, BlockView::size),
        where + ": pending");
    assertEquals(
        counted.cachedBytes(),
        sum(snapshot, BlockState.CACHED, BlockView::size),
        where + ": cached");
    assertEquals(
        counted.fragmentBytes(),
        sum(snapshot, BlockState.FREE, BlockView::size),
        where + ": fragments");
  }

  /** Every segment consists of its blocks, in order, without a gap. */
  static void assertTiled(AllocatorSnapshot snapshot, String where) {
    for (SegmentView segment : snapshot.segments()) {
      long next = segment.address();
      for (BlockView block : segment.blocks()) {
        assertEquals(next, block.address(), where + ": a gap in " + segment);
        assertTrue(block.size() > 0, where + ": an empty block in " + segment);
        next += block.size();
      }
      assertEquals(segment.address() + segment.size(), next, where + ": the end of " + segment);
    }
  }

  private static long sum(
      AllocatorSnapshot snapshot, BlockState state, ToLongFunction<BlockView> figure) {
    return snapshot.segments().stream()
        .flatMap(segment -> segment.blocks().stream())
        .filter(block -> block.state() == state)
        .mapToLong(figure)
        .sum();
  }
}
