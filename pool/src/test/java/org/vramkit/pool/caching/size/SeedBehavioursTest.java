package org.vramkit.pool.caching.size;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.sim.SimStream;

@DisplayName("S4: the caching allocator")
class SeedBehavioursTest {

  @Test
  @DisplayName(
      "S4.1 small segments are 2 MiB, medium ones 20 MiB, large ones the request up to 2 MiB")
  void segmentSizes() {
    assertEquals(2 * MIB, SizeRules.segmentFor(512));
    assertEquals(2 * MIB, SizeRules.segmentFor(MIB));
    assertEquals(20 * MIB, SizeRules.segmentFor(MIB + 512));
    assertEquals(20 * MIB, SizeRules.segmentFor(10 * MIB - 512));
    assertEquals(10 * MIB, SizeRules.segmentFor(10 * MIB));
    assertEquals(12 * MIB, SizeRules.segmentFor(10 * MIB + 512));
    try (Sandbox box = Sandbox.segments()) {
      box.allocate(1);
      assertEquals(2 * MIB, box.statistics().reserved().current());
      box.allocate(2 * MIB);
      assertEquals(22 * MIB, box.statistics().reserved().current());
      box.allocate(21 * MIB);
      assertEquals(44 * MIB, box.statistics().reserved().current());
    }
  }

  @OnBothMemories
  @DisplayName("S4.2 requests are rounded up to multiples of 512")
  void rounding(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      long[][] cases = {{1, 512}, {511, 512}, {512, 512}, {513, 1024}, {1025, 1536}};
      long allocated = 0;
      for (long[] each : cases) {
        box.allocate(each[0]);
        allocated += each[1];
        assertEquals(allocated, box.statistics().allocated().current(), "after " + each[0]);
      }
    }
  }

  @OnBothMemories
  @DisplayName("S4.3 the smallest free block that is large enough is taken, the lowest of equals")
  void bestFit(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.uncached(use)) {
      long[] sizes = {8192, 4096, 16384, 4096};
      Allocation[] blocks = new Allocation[sizes.length];
      for (int i = 0; i < sizes.length; i++) {
        blocks[i] = box.allocate(sizes[i]);
        box.allocate(512); // keeps the neighbours apart
      }
      long lowest = blocks[1].getAddress();
      for (Allocation block : blocks) {
        block.close();
      }
      assertEquals(lowest, box.allocate(4096).getAddress());
      assertEquals(lowest + 4096 + 512 + 16384 + 512, box.allocate(3000).getAddress());
    }
  }

  @Test
  @DisplayName(
      "S4.4 the rest of a small block is split off from 512 bytes, of a large one above 1 MiB")
  void splitting() {
    assertTrue(SizeRules.splits(true, 512));
    assertTrue(!SizeRules.splits(true, 0));
    assertTrue(!SizeRules.splits(false, MIB));
    assertTrue(SizeRules.splits(false, MIB + 512));
    try (Sandbox box = Sandbox.segments()) {
      box.allocate(19 * MIB / 2);
      box.allocate(19 * MIB / 2);
      // What was left of the segment, 10.5 MiB, was no more than 1 MiB larger, and went along.
      assertEquals(20 * MIB, box.statistics().allocated().current());
      assertEquals(20 * MIB, box.statistics().reserved().current());
    }
  }

  @OnBothMemories
  @DisplayName("S4.5 a freed block merges with the free neighbours on both sides")
  void merging(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.uncached(use)) {
      Allocation left = box.allocate(512);
      Allocation middle = box.allocate(512);
      Allocation right = box.allocate(512);
      long address = left.getAddress();
      left.close();
      right.close();
      middle.close();
      assertEquals(address, box.allocate(1536).getAddress());
    }
  }

  @OnBothMemories
  @DisplayName(
      "S4.5, S4.6 a block that another stream uses is neither reused nor merged until then")
  @Tag("virtual-time")
  void recordedUse(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.uncached(use)) {
      SimStream other = box.newStream();
      Allocation left = box.allocate(512);
      Allocation middle = box.allocate(512);
      Allocation right = box.allocate(512);
      box.allocate(512); // keeps what is right of it apart
      long address = left.getAddress();
      box.busy(other, middle, 50_000_000);
      middle.recordUse(other);
      middle.close();
      left.close();
      right.close();
      assertNotEquals(address, box.allocate(1536).getAddress());
      box.backend.advance(60_000_000);
      assertEquals(address, box.allocate(1536).getAddress());
    }
  }

  @OnBothMemories
  @DisplayName("S4.7 statistics: allocated, peak and its reset, reserved, idle, hits and misses")
  void statistics(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      Allocation block = box.allocate(3 * MIB);
      AllocatorStatistics first = box.statistics();
      assertEquals(3 * MIB, first.allocated().current());
      assertEquals(1, first.misses());
      assertEquals(first.reserved().current() - 3 * MIB, first.getIdleBytes());
      block.close();
      box.allocate(3 * MIB).close();
      AllocatorStatistics second = box.statistics();
      assertEquals(1, second.servedFromPool());
      assertEquals(3 * MIB, second.allocated().peak());
      assertEquals(0, second.allocated().current());
      box.allocator.resetPeaks();
      assertEquals(0, box.statistics().allocated().peak());
    }
  }

  @Test
  @DisplayName("S4.8 emptying the cache keeps just the segments that hold a live block")
  void emptyCache() {
    try (Sandbox box = Sandbox.segments()) {
      box.allocate(12 * MIB);
      box.allocate(14 * MIB).close();
      box.allocate(1024).close();
      box.stream.synchronize();
      box.allocator.emptyCache();
      assertEquals(12 * MIB, box.statistics().reserved().current());
    }
  }

  @OnBothMemories
  @DisplayName("S4.9 typed helpers: zeroed, copied from the host, and empty ones that cost nothing")
  void typedHelpers(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      box.device.getMemoryInfo();
      try (Allocation empty = box.allocator.allocate(0, ElementType.FLOAT32, box.stream)) {
        assertEquals(0, empty.getAddress());
        assertEquals(0, box.statistics().reserved().current());
      }
      try (Allocation zeroed = box.allocator.allocateZeroed(5, ElementType.INT32, box.stream);
          Allocation copied =
              box.allocator.allocateCopy(ByteBuffer.wrap(new byte[] {1, 2, 3}), box.stream)) {
        ByteBuffer back = ByteBuffer.allocate(20);
        box.stream.copyToHost(back, zeroed.getAddress());
        assertEquals(ByteBuffer.allocate(20), back);
        ByteBuffer three = ByteBuffer.allocate(3);
        box.stream.copyToHost(three, copied.getAddress());
        assertEquals(ByteBuffer.wrap(new byte[] {1, 2, 3}), three);
      }
    }
  }
}
