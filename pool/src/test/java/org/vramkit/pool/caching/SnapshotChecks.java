package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockView;
import org.vramkit.pool.caching.AllocatorSnapshot.SegmentView;
import org.vramkit.pool.caching.internal.heap.HeapChecks;

/** What every snapshot keeps to: blocks tile their segments, and sums equal the counters. */
public final class SnapshotChecks {
  private static final Set<BlockState> ACTIVE = EnumSet.of(BlockState.LIVE, BlockState.PENDING);
  private static final Set<BlockState> INACTIVE = EnumSet.of(BlockState.CACHED, BlockState.FREE);

  private SnapshotChecks() {}

  /** Segments do not overlap, and the blocks of each fill it from end to end. */
  public static void assertTiled(AllocatorSnapshot snapshot) {
    long lastEnd = 0;
    for (SegmentView segment : snapshot.segments()) {
      assertTrue(segment.address() >= lastEnd, () -> "segments overlap: " + segment);
      assertFalse(segment.blocks().isEmpty(), () -> "a segment without blocks: " + segment);
      long at = segment.address();
      for (BlockView block : segment.blocks()) {
        assertEquals(at, block.address(), () -> "gap or overlap in " + segment);
        assertTrue(block.size() > 0, () -> "empty block in " + segment);
        at += block.size();
      }
      lastEnd = segment.address() + segment.size();
      assertEquals(lastEnd, at, () -> "the blocks do not fill " + segment);
    }
  }

  /** Every sum over the snapshot equals its counter, in total and for each stream. */
  public static void assertAgrees(CachingAllocator allocator) {
    HeapChecks.assertAgrees(allocator);
    AllocatorSnapshot snapshot = allocator.getSnapshot();
    AllocatorStatistics counters = allocator.getStatistics();
    List<BlockView> blocks = blocks(snapshot);
    assertTiled(snapshot);

    assertEquals(
        counters.reserved().current(),
        snapshot.segments().stream().mapToLong(SegmentView::size).sum() + snapshot.unplacedBytes(),
        "reserved");
    assertEquals(counters.requested().current(), sum(blocks, BlockView::requested), "requested");
    assertEquals(counters.allocated().current(), bytes(blocks, is(BlockState.LIVE)), "allocated");
    assertEquals(counters.allocations().current(), count(blocks, is(BlockState.LIVE)), "count");
    assertEquals(counters.active().current(), bytes(blocks, isIn(ACTIVE)), "active");
    assertEquals(counters.cachedBytes(), bytes(blocks, is(BlockState.CACHED)), "cached");
    assertEquals(
        counters.fragmentBytes(),
        bytes(blocks, is(BlockState.FREE)) + snapshot.unplacedBytes(),
        "fragments");
    assertSegments(snapshot, counters, count(blocks, isIn(INACTIVE)));
    for (StreamStatistics share : counters.streams()) {
      List<BlockView> own = blocks.stream().filter(b -> b.stream().equals(share.stream())).toList();
      assertEquals(share.liveBytes(), bytes(own, isIn(ACTIVE)), () -> "live of " + share);
      assertEquals(share.cachedBytes(), bytes(own, is(BlockState.CACHED)), () -> "cache " + share);
      long nowhere = share.stream().equals("shared") ? snapshot.unplacedBytes() : 0;
      assertEquals(
          share.fragmentBytes(), bytes(own, is(BlockState.FREE)) + nowhere, () -> "free " + share);
    }
  }

  /** What a program counted itself equals the counters, and their parts sum up. */
  public static void assertSums(AllocatorStatistics counters, long requested, long live) {
    assertEquals(requested, counters.requested().current(), "requested");
    assertEquals(live, counters.allocations().current(), "allocations");
    assertEquals(
        counters.reserved().current(),
        counters.getLiveBytes() + counters.cachedBytes() + counters.fragmentBytes(),
        () -> "reserved = live + cached + fragments: " + counters);
  }

  private static void assertSegments(
      AllocatorSnapshot snapshot, AllocatorStatistics counters, long inactive) {
    boolean fixed = snapshot.segments().stream().noneMatch(SegmentView::growable);
    if (fixed && snapshot.unplacedBytes() == 0) {
      assertEquals(counters.segments().current(), snapshot.segments().size(), "segments");
      assertEquals(counters.freeBlocks(), inactive, "inactive blocks");
    } else {
      // A free range counts once, and shows once for each run of pages that lies beneath it.
      assertTrue(counters.freeBlocks() <= inactive, "inactive ranges");
    }
  }

  public static List<BlockView> blocks(AllocatorSnapshot snapshot) {
    return snapshot.blocks().toList();
  }

  private static Predicate<BlockView> is(BlockState state) {
    return block -> block.state() == state;
  }

  private static Predicate<BlockView> isIn(Set<BlockState> states) {
    return block -> states.contains(block.state());
  }

  private static long count(List<BlockView> blocks, Predicate<BlockView> which) {
    return blocks.stream().filter(which).count();
  }

  private static long bytes(List<BlockView> blocks, Predicate<BlockView> which) {
    return sum(blocks.stream().filter(which).toList(), BlockView::size);
  }

  private static long sum(List<BlockView> blocks, ToLongFunction<BlockView> of) {
    return blocks.stream().mapToLong(of).sum();
  }

  /** Returns what private pools keep, those included that ended with live blocks. */
  public static long keptByPools(AllocatorSnapshot snapshot) {
    return snapshot.segments().stream()
        .filter(segment -> segment.pool() > 0)
        .mapToLong(AllocatorSnapshot.SegmentView::size)
        .sum();
  }
}
