package org.vramkit.pool.caching.size;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.internal.heap.HeapChecks;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;

@DisplayName("17.10 The footprint of a private pool over virtual memory")
class PoolFootprintTest {
  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.H200)
          .bytes(false)
          .checker(CheckerOptions.OFF)
          .build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream stream = device.createStream();
  private final CachingAllocator allocator =
      CachingAllocator.builder(device).virtualMemory(VirtualMemoryUse.ON).build();

  @AfterEach
  void close() {
    allocator.close();
    stream.close();
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  private static long usedHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @Test
  @DisplayName("17.10 takes no addresses and almost no heap until it is used: 10,000 are" + " open")
  void empty() {
    List<PrivatePool> open = new ArrayList<>();
    backend.getDriverCalls().reset();
    long before = usedHeap();
    for (int i = 0; i < 10_000; i++) {
      open.add(allocator.createPool());
    }
    long each = (usedHeap() - before) / open.size();
    assertTrue(each < 1024, "bytes of heap for each: " + each);
    assertEquals(0, backend.getDriverCalls().getTotal());
    open.get(5_000).getAllocator().allocate(1000, stream).close();
    open.forEach(PrivatePool::close);
    assertEquals(1, allocator.getStatistics().allocations().added());
  }

  @Test
  @DisplayName("17.10 little when it holds little: 2,000 are in use, and fit the addresses")
  void used() {
    List<PrivatePool> open = new ArrayList<>();
    List<Allocation> live = new ArrayList<>();
    live.add(allocator.allocate(GIB_40, stream));
    long before = usedHeap();
    for (int i = 0; i < 2_000; i++) {
      PrivatePool pool = allocator.createPool();
      open.add(pool);
      live.add(pool.getAllocator().allocate(10_000, stream));
      live.add(pool.getAllocator().allocate(5 * MIB, stream));
    }
    long each = (usedHeap() - before) / open.size();
    assertTrue(each < 40 * 1024, "bytes of heap for each: " + each);
    live.forEach(Allocation::close);
    open.forEach(PrivatePool::close);
    assertEquals(1, allocator.getSnapshot().segments().size(), "of the default pool alone");
  }

  private static final long GIB_40 = 40 * ByteSize.GIB;

  @Test
  @DisplayName("17.10 addresses grow range by range with the need, and no block is lost")
  void grows() {
    long seed = 10;
    SplittableRandom random = new SplittableRandom(seed);
    try (PrivatePool pool = allocator.createPool()) {
      Allocator inside = pool.getAllocator();
      List<Allocation> live = new ArrayList<>();
      long largest = 128 * MIB;
      for (int step = 0; step < 3000; step++) {
        String where = "seed " + seed + ", step " + step;
        largest = step % 500 == 499 ? 2 * largest : largest;
        if (random.nextInt(5) < 3 || live.isEmpty()) {
          long bytes = 1 + random.nextLong(random.nextInt(20) == 0 ? largest : 3 * MIB);
          live.add(inside.allocate(bytes, stream));
        } else {
          live.remove(random.nextInt(live.size())).close();
        }
        if (step % 100 == 0) {
          assertDistinct(live, where);
          HeapChecks.assertAgrees(allocator);
        }
      }
      live.add(inside.allocate(60 * ByteSize.GIB, stream));
      live.forEach(Allocation::close);
      inside.trim(0);
      assertEquals(0, inside.getStatistics().reserved().current());
      // One range for all that the device has.
      inside.allocate(130 * ByteSize.GIB, stream).close();
    }
  }

  private static void assertDistinct(List<Allocation> live, String where) {
    List<Allocation> byAddress = new ArrayList<>(live);
    byAddress.sort((one, other) -> Long.compare(one.getAddress(), other.getAddress()));
    for (int i = 1; i < byAddress.size(); i++) {
      Allocation below = byAddress.get(i - 1);
      assertTrue(below.getAddress() + below.getSize() <= byAddress.get(i).getAddress(), where);
    }
  }
}
