package org.vramkit.pool.caching.size;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.Crowd;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

/** Faults of an earlier allocator of this kind, each with what holds instead. */
@DisplayName("S4: defects that must not return")
class SeedDefectsTest {

  @OnBothMemories
  @DisplayName("S4 typed allocations are served from the cache, and their blocks go back into it")
  void typedUsesCache(VirtualMemoryUse use) {
    List<BiFunction<Allocator, SimStream, Allocation>> typed =
        List.of(
            (allocator, stream) -> allocator.allocate(1000, ElementType.INT64, stream),
            (allocator, stream) -> allocator.allocateZeroed(1000, ElementType.FLOAT64, stream),
            (allocator, stream) -> allocator.allocateCopy(ByteBuffer.allocate(8000), stream));
    try (Sandbox box = Sandbox.on(use)) {
      Allocation raw = box.allocate(8000);
      long address = raw.getAddress();
      raw.close();
      long misses = box.statistics().misses();
      long taken = box.statistics().driverAllocations();
      for (BiFunction<Allocator, SimStream, Allocation> each : typed) {
        try (Allocation allocation = each.apply(box.allocator, box.stream)) {
          assertEquals(address, allocation.getAddress());
          assertEquals(8000, allocation.getSize());
        }
      }
      assertEquals(misses, box.statistics().misses());
      assertEquals(taken, box.statistics().driverAllocations());
      assertEquals(address, box.allocate(8000).getAddress(), "an untyped one of the same size");
    }
  }

  @OnBothMemories
  @DisplayName("S4 emptying the cache gives back what is free, and live blocks stay known")
  void emptyingKeepsLiveBlocks(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      List<Allocation> blocks = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        blocks.add(box.allocate(4 * MIB));
      }
      Allocation alone = box.allocate(30 * MIB);
      Allocation live = blocks.remove(2);
      box.stream.fill(live.getAddress(), (byte) 42, live.getSize());
      long used = box.device.getMemoryInfo().getUsedBytes();
      blocks.forEach(Allocation::close);
      alone.close();
      box.allocator.emptyCache();

      long left = use == VirtualMemoryUse.ON ? 4 * MIB : 20 * MIB;
      assertEquals(left, box.statistics().reserved().current());
      assertEquals(50 * MIB - left, used - box.device.getMemoryInfo().getUsedBytes());
      assertEquals(1, box.statistics().allocations().current());
      SnapshotChecks.assertAgrees(box.allocator);
      ByteBuffer contents = ByteBuffer.allocate((int) live.getSize());
      box.stream.copyToHost(contents, live.getAddress());
      byte[] expected = new byte[contents.capacity()];
      Arrays.fill(expected, (byte) 42);
      assertEquals(ByteBuffer.wrap(expected), contents);

      // Its neighbours are known too: with them it is one range again.
      live.close();
      box.allocator.emptyCache();
      assertEquals(0, box.statistics().reserved().current());
      assertEquals(0, box.statistics().freeBlocks());
    }
  }

  /**
   * Records are what a snapshot lists, and what the heap holds: with everything freed and settled
   * one for each segment, or one run of pages.
   */
  @OnBothMemories
  @DisplayName("S4 block records do not pile up, however many blocks there were")
  void recordsAreReused(VirtualMemoryUse use) {
    long seed = 4;
    for (boolean cached : new boolean[] {true, false}) {
      try (Sandbox box = cached ? Sandbox.on(use) : Sandbox.uncached(use)) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Allocation> held = new ArrayList<>();
        int most = 0;
        for (int i = 0; i < 20_000; i++) {
          if (held.size() < 8) {
            held.add(box.allocator.allocate(random.nextLong(1, 64 << 10), box.stream));
          } else {
            held.remove(random.nextInt(held.size())).close();
          }
          if (i % 100 == 0) {
            most = Math.max(most, records(box));
          }
        }
        // Without caches a free range or two beside each live block; with them what they can hold.
        int bound = cached ? 1_000 : 4 * 8;
        assertTrue(most <= bound, "records: " + most + ", seed " + seed);
        held.forEach(Allocation::close);
        box.allocator.trim(Long.MAX_VALUE);
        box.stream.synchronize();
        long segments = box.allocator.getSnapshot().segments().size();
        assertTrue(records(box) <= segments, "records left: " + records(box));
      }
    }
  }

  private static int records(Sandbox box) {
    return SnapshotChecks.blocks(box.allocator.getSnapshot()).size();
  }

  @OnBothMemories
  @DisplayName("S4 recorded uses are waited for, all of them, and for this life of the block alone")
  @Tag("virtual-time")
  void usesAreWaitedFor(VirtualMemoryUse use) {
    for (long size : new long[] {4096, 4 * MIB}) {
      try (Sandbox box = Sandbox.on(use)) {
        SimStream one = box.newStream();
        SimStream two = box.newStream();
        Allocation block = box.allocate(size);
        long address = block.getAddress();
        box.busy(one, block, 10_000_000);
        box.busy(two, block, 50_000_000);
        block.recordUse(one);
        block.recordUse(two);
        block.close();
        for (long elapsed : new long[] {0, 20_000_000}) {
          box.backend.advance(elapsed);
          Allocation other = box.allocate(size);
          assertNotEquals(address, other.getAddress(), "after " + elapsed + " ns");
          box.stream.fill(other.getAddress(), (byte) 1, size);
        }
        box.backend.advance(40_000_000);
        Allocation again = box.allocate(size);
        assertEquals(address, again.getAddress());
        box.stream.fill(address, (byte) 2, size);

        // The uses are settled, not remembered: the next free is that of an unused block.
        long events = box.backend.getDriverCalls().getCount("cuEventRecord");
        again.close();
        assertEquals(address, box.allocate(size).getAddress());
        assertEquals(events, box.backend.getDriverCalls().getCount("cuEventRecord"));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ElementType.class)
  @DisplayName("S4 a size that overflows is an error that names its factors; one below is not")
  void overflow(ElementType type) {
    try (Sandbox box = Sandbox.standard()) {
      int width = type.getWidth();
      long most = Long.MAX_VALUE / width;
      List<Long> excessive = new ArrayList<>();
      if (width > 1) {
        excessive.addAll(List.of(most + 1, Long.MAX_VALUE));
      }
      if (width > 2) {
        // So many that without a check the product is as little as one element.
        excessive.add((1L << (64 - Integer.numberOfTrailingZeros(width))) + 1);
      }
      for (long count : excessive) {
        InvalidArgumentException e =
            assertThrows(
                InvalidArgumentException.class,
                () -> box.allocator.allocate(count, type, box.stream),
                () -> count + " elements");
        assertTrue(e.toString().contains(count + " elements x " + width), e.toString());
      }
      assertThrows(
          DeviceOutOfMemoryException.class, () -> box.allocator.allocate(most, type, box.stream));
      assertEquals(0, box.statistics().reserved().current());
    }
  }

  @OnBothMemories
  @DisplayName("S4 a call that fails under a lock releases it, and no block is at address 0")
  void failureReleasesLocks(VirtualMemoryUse use) throws InterruptedException {
    String[] calls =
        use == VirtualMemoryUse.ON
            ? new String[] {"cuMemCreate", "cuMemMap", "cuMemSetAccess"}
            : new String[] {"cuMemAlloc"};
    try (Sandbox box = Sandbox.on(use)) {
      for (String call : calls) {
        box.backend.getFaults().failNext(call, Fault.UNKNOWN);
        assertThrows(GpuException.class, () -> box.allocate(12 * MIB), call);
        // Locks belong to threads: only another one finds out whether they were released.
        Crowd crowd = new Crowd(box, 1, 1);
        crowd.run();
        assertEquals(1, crowd.getAllocations(), call);
      }
    }
  }

  @OnBothMemories
  @DisplayName(
      "S4 threads that meet at the locks, interrupted or not, each get blocks of their own")
  void contention(VirtualMemoryUse use) throws InterruptedException {
    for (boolean cached : new boolean[] {true, false}) {
      try (Sandbox box = cached ? Sandbox.on(use) : Sandbox.uncached(use)) {
        Crowd crowd = new Crowd(box, 8, 300);
        crowd.run();
        assertEquals(8 * 300, crowd.getAllocations());
        assertEquals(0, box.statistics().allocations().current());
        assertEquals(8 * 300, box.statistics().allocations().added());
        SnapshotChecks.assertAgrees(box.allocator);
      }
    }
  }

  @Test
  @DisplayName("R7 streams made for one task each do not pile up, and stay in the books")
  void streamsComeAndGo() {
    try (Sandbox box = Sandbox.standard()) {
      int tasks = 1000;
      for (int i = 0; i < tasks; i++) {
        try (SimStream task = box.device.createStream();
            Allocation block = box.allocator.allocate(MIB + i * 512L, task)) {
          task.fill(block.getAddress(), (byte) i, block.getSize());
        }
      }
      assertTrue(
          box.statistics().streams().size() <= 66,
          "streams remembered: " + box.statistics().streams().size());
      assertEquals(tasks, box.statistics().allocations().added());
      assertEquals(tasks, box.statistics().allocations().removed());
      SnapshotChecks.assertAgrees(box.allocator);
      SimStream closed = box.device.createStream();
      closed.close();
      assertThrows(ClosedException.class, () -> box.allocate(512, closed));
    }
  }
}
