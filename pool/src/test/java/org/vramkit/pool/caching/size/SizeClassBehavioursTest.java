package org.vramkit.pool.caching.size;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockView;
import org.vramkit.pool.caching.AllocatorSnapshot.SegmentView;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;

@DisplayName("Size classes and segments")
class SizeClassBehavioursTest {

  /** A fresh allocator stands for the fresh private pool. */
  @ParameterizedTest(name = "{0} B: {1} segments, {2} MiB, then {3} MiB")
  @CsvSource({
    "512,      1,  2,  2",
    "1048576,  2,  4,  2",
    "1049088,  1, 20, 20",
    "10485248, 2, 40, 20",
    "10486272, 3, 36, 12"
  })
  @DisplayName("11 a chain of clones takes the segments of three blocks and keeps those of one")
  void clones(long bytes, long segments, long mib, long mibAfter) {
    try (Sandbox box = Sandbox.segments()) {
      chain(box, bytes);
      assertEquals(segments, box.statistics().segments().current());
      assertEquals(segments, box.statistics().segments().peak());
      assertEquals(mib * MIB, box.statistics().reserved().current());
      box.allocator.emptyCache();
      assertEquals(mibAfter * MIB, box.statistics().reserved().current());
    }
  }

  /** With pages there are no segments whose sizes could be pinned, but a bound that is tighter. */
  @ParameterizedTest(name = "{0} B")
  @CsvSource({"512", "1048576", "1049088", "10485248", "10486272"})
  @DisplayName("11 with growable segments a chain of clones takes the pages of three blocks")
  void clonesOnPages(long bytes) {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON)) {
      chain(box, bytes);
      assertTrue(box.statistics().reserved().peak() < 3 * bytes + 4 * MIB);
      assertEquals(0, box.backend.getDriverCalls().getCount("cuMemAlloc"), "segments");
      assertTrue(box.allocator.getSnapshot().segments().stream().allMatch(SegmentView::growable));
      box.allocator.emptyCache();
      assertTrue(box.statistics().reserved().current() < bytes + 4 * MIB);
    }
  }

  /**
   * Five times clones a block and works on the clone; three blocks live at most, one at the end.
   */
  private static void chain(Sandbox box, long bytes) {
    Allocation result = box.allocate(bytes);
    for (int i = 0; i < 5; i++) {
      Allocation clone = box.allocate(bytes);
      Allocation next = box.allocate(bytes);
      clone.close();
      result.close();
      result = next;
    }
  }

  @OnBothMemories
  @DisplayName("12 two blocks of 1 MiB share a segment, or a page; a third takes another")
  void oneMebibyteBlocks(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      for (long segments : new long[] {1, 1, 2}) {
        box.allocate(MIB);
        assertEquals(segments, box.statistics().segments().current());
        assertEquals(segments * 2 * MIB, box.statistics().reserved().current());
      }
    }
  }

  @Test
  @DisplayName("13 two blocks of 4 MiB share a segment of 20 MiB and leave the rest free")
  void sharedSegment() {
    try (Sandbox box = Sandbox.segments()) {
      box.allocate(4 * MIB);
      box.allocate(4 * MIB);
      SegmentView only = only(box.allocator.getSnapshot().segments());
      assertEquals(20 * MIB, only.size());
      // Blocks of this size are cut from the upper end.
      assertEquals(List.of(12 * MIB, 4 * MIB, 4 * MIB), sizes(only));
      assertEquals(BlockState.FREE, only.blocks().get(0).state());
    }
  }

  @Test
  @DisplayName("13 over virtual memory two blocks of 4 MiB take just their pages")
  void ownPages() {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON)) {
      box.allocate(4 * MIB);
      box.allocate(4 * MIB);
      assertEquals(8 * MIB, box.statistics().reserved().current());
      assertEquals(0, box.statistics().getIdleBytes());
    }
  }

  @OnBothMemories
  @DisplayName(
      "14 divisions round what is allocated, never what is requested; without, it is exact")
  void rounding(VirtualMemoryUse use) {
    assertRounds(use, "4", 84, 96);
    assertRounds(use, "64:8,256:2", 84, 88);
    assertRounds(use, "64:8,256:2", 400, 512);
    assertRounds(use, "none", 84, 84);
    try (Sandbox box = Sandbox.on(use)) {
      box.allocate(84 * MIB);
      assertEquals(84 * MIB, box.statistics().allocated().current());
    }
  }

  private static void assertRounds(VirtualMemoryUse use, String divisions, long mib, long rounded) {
    try (Sandbox box = Sandbox.on(use, b -> b.set("rounding-divisions", divisions))) {
      box.allocate(mib * MIB);
      AllocatorStatistics now = box.statistics();
      assertEquals(rounded * MIB, now.allocated().current(), divisions + " of " + mib + " MiB");
      assertEquals(mib * MIB, now.requested().current());
    }
  }

  @OnBothMemories
  @DisplayName("15 a thousand blocks of 512 B lie side by side, and tile whatever is freed of them")
  void tiles(VirtualMemoryUse use) {
    long seed = 15;
    try (Sandbox box = Sandbox.uncached(use)) {
      List<Allocation> held = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        held.add(box.allocate(512));
      }
      long[] addresses = held.stream().mapToLong(Allocation::getAddress).sorted().toArray();
      for (int i = 1; i < addresses.length; i++) {
        assertEquals(addresses[i - 1] + 512, addresses[i], "gap before block " + i);
      }
      SnapshotChecks.assertAgrees(box.allocator);
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 0; i < 500; i++) {
        held.remove(random.nextInt(held.size())).close();
        SnapshotChecks.assertTiled(box.allocator.getSnapshot());
      }
      long five = box.allocate(2560).getAddress();
      assertEquals(
          2560,
          SnapshotChecks.blocks(box.allocator.getSnapshot()).stream()
              .filter(block -> block.address() == five)
              .mapToLong(BlockView::size)
              .sum());
      SnapshotChecks.assertAgrees(box.allocator);
      assertEquals(2 * MIB, box.statistics().reserved().current());
    }
  }

  private static SegmentView only(List<SegmentView> segments) {
    assertEquals(1, segments.size());
    return segments.get(0);
  }

  private static List<Long> sizes(SegmentView segment) {
    return segment.blocks().stream().map(BlockView::size).toList();
  }
}
