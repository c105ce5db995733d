package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.AllocatorSnapshot.SegmentView;

/** Behaviours 11 to 15. */
@DisplayName("Size classes and segments")
class SizeClassBehavioursTest {

  /** Ten copies in a chain, of which three live at most; then all but the last are dropped. */
  private static void chain(Sandbox box, long bytes) {
    ArrayDeque<Allocation> live = new ArrayDeque<>();
    for (int i = 0; i < 10; i++) {
      Allocation copy = box.allocate(bytes);
      if (!live.isEmpty()) {
        box.stream.copy(copy.getAddress(), live.getLast().getAddress(), bytes);
      }
      live.addLast(copy);
      if (live.size() == 3) {
        live.removeFirst().close();
      }
    }
    live.addLast(box.allocate(bytes));
    while (live.size() > 1) {
      live.removeFirst().close();
    }
  }

  @ParameterizedTest(name = "{0} bytes: {1} segments of {2} bytes, {3} at the end")
  @CsvSource({
    "512, 1, 2097152, 2097152",
    "1048576, 2, 4194304, 2097152",
    "1049088, 1, 20971520, 20971520",
    "10485248, 2, 41943040, 20971520",
    "10486272, 3, 37748736, 12582912"
  })
  @DisplayName("11 a chain of copies takes the segments of its size, and keeps what its last needs")
  void chainOnSegments(long bytes, long segments, long reserved, long kept) {
    try (Sandbox box = Sandbox.segments()) {
      chain(box, bytes);
      assertEquals(segments, box.statistics().segments().current());
      assertEquals(reserved, box.statistics().reserved().current());
      box.allocator.emptyCache();
      assertEquals(kept, box.statistics().reserved().current());
    }
  }

  @ParameterizedTest(name = "{0} bytes: {1} reserved, at most {2} at the end")
  @CsvSource({
    "512, 2097152, 2097152",
    "1048576, 4194304, 2097152",
    "1049088, 4194304, 4194304",
    "10485248, 31457280, 12582912",
    "10486272, 33554432, 12582912"
  })
  @DisplayName("11 over virtual memory the same chain takes just the pages that it touches")
  void chainOnPages(long bytes, long reserved, long mostKept) {
    try (Sandbox box = Sandbox.with(b -> b.virtualMemory(VirtualMemoryUse.ON))) {
      chain(box, bytes);
      assertEquals(reserved, box.statistics().reserved().current());
      assertEquals(1, box.backend.getDriverCalls().getCount("cuMemAddressReserve"));
      box.allocator.emptyCache();
      long kept = box.statistics().reserved().current();
      assertTrue(kept <= mostKept, kept + " kept");
    }
  }

  @Test
  @DisplayName("12 three blocks of 1 MiB take 1, 1 and then 2 segments")
  void threeSmall() {
    try (Sandbox box = Sandbox.segments()) {
      for (long expected : new long[] {1, 1, 2}) {
        box.allocate(MIB);
        assertEquals(expected, box.statistics().segments().current());
      }
    }
  }

  @Test
  @DisplayName(
      "13 two blocks of 4 MiB share a segment of 20 MiB, and without splitting have one each")
  void splitting() {
    try (Sandbox box = Sandbox.segments()) {
      box.allocate(4 * MIB);
      box.allocate(4 * MIB);
      SegmentView only = onlySegment(box);
      assertEquals(20 * MIB, only.size());
      assertEquals(
          List.of(4 * MIB, 4 * MIB, 12 * MIB), only.blocks().stream().map(b -> b.size()).toList());
      assertEquals(BlockState.FREE, only.blocks().get(2).state());
    }
    try (Sandbox box = Sandbox.segments(builder -> builder.splitting(false))) {
      box.allocate(4 * MIB);
      box.allocate(4 * MIB);
      List<SegmentView> segments = box.allocator.getSnapshot().segments();
      assertEquals(2, segments.size());
      for (SegmentView each : segments) {
        assertEquals(1, each.blocks().size());
      }
    }
  }

  private static SegmentView onlySegment(Sandbox box) {
    List<SegmentView> segments = box.allocator.getSnapshot().segments();
    assertEquals(1, segments.size());
    return segments.get(0);
  }

  @ParameterizedTest(name = "{0} MiB with divisions {1}: {2} MiB")
  @CsvSource({"84, 4, 96", "84, 64:8, 88", "400, 256:2, 512", "84, none, 84", "400, none, 400"})
  @DisplayName("14 divisions round what is allocated up, not what was requested")
  void roundingDivisions(long mib, String divisions, long rounded) {
    for (VirtualMemoryUse use : List.of(VirtualMemoryUse.ON, VirtualMemoryUse.OFF)) {
      try (Sandbox box =
          Sandbox.with(b -> b.virtualMemory(use).set("rounding-divisions", divisions))) {
        box.allocate(mib * MIB);
        assertEquals(mib * MIB, box.statistics().requested().current());
        assertEquals(rounded * MIB, box.statistics().allocated().current());
      }
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(value = VirtualMemoryUse.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName(
      "15 a thousand blocks of 512 bytes tile their segments, also with holes between them")
  void tiling(VirtualMemoryUse use) {
    long seed = 15;
    Random random = new Random(seed);
    try (Sandbox box = Sandbox.with(b -> b.virtualMemory(use).threadCache(0).streamCache(0))) {
      List<Allocation> blocks = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        blocks.add(box.allocate(512));
      }
      long first = blocks.get(0).getAddress();
      for (int i = 0; i < blocks.size(); i++) {
        assertEquals(first + 512L * i, blocks.get(i).getAddress());
      }
      Snapshots.assertAgree(box.allocator, "full");
      for (Allocation block : blocks) {
        if (random.nextBoolean()) {
          block.close();
        }
      }
      box.allocate(2560);
      Snapshots.assertAgree(box.allocator, "seed " + seed);
    }
  }
}
