package org.vramkit.pool.caching.outofmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CountingSource;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("17.9 A request that cannot be met")
class HopelessRequestTest {
  private static final long GIB = ByteSize.GIB;

  /** All that the device has, and a bit. */
  private static final long TOO_MUCH = 9 * GIB;

  private static AllocatorOutOfMemoryException refused(
      Allocator allocator, long bytes, SimStream on) {
    return assertThrows(
        AllocatorOutOfMemoryException.class, () -> allocator.allocate(bytes, on).close());
  }

  private static Map<String, Long> callsOf(Sandbox box, Runnable action) {
    box.backend.getDriverCalls().reset();
    action.run();
    return box.backend.getDriverCalls().getCounts();
  }

  @OnBothMemories
  @DisplayName("17.9 because the device is too small asks the driver for nothing, and keeps caches")
  void beyondTheDevice(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      box.allocate(64 * MIB).close();
      box.allocate(1000).close();
      long cached = box.statistics().cachedBytes();
      Map<String, Long> calls =
          callsOf(
              box,
              () -> {
                AllocatorOutOfMemoryException e = refused(box.allocator, TOO_MUCH, box.stream);
                assertTrue(e.toString().contains("the device has 8.00 GiB in all"), e.toString());
                assertEquals(
                    List.of("skip recovery: larger than the device's memory"),
                    e.getReport().steps());
              });
      // The report tells what the device has.
      assertEquals(Map.of("cuMemGetInfo", 1L), calls);
      assertEquals(cached, box.statistics().cachedBytes());
    }
  }

  @OnBothMemories
  @DisplayName("17.9 because of a limit takes and releases nothing, and advises a change")
  void beyondTheLimit(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(GIB))) {
      box.allocate(500 * MIB).close();
      Map<String, Long> calls =
          callsOf(
              box,
              () -> {
                AllocatorOutOfMemoryException e = refused(box.allocator, 2 * GIB, box.stream);
                assertTrue(
                    e.getReport().advice().startsWith("raise the limit by 1.00 GiB"), e.toString());
              });
      assertEquals(Set.of("cuMemGetInfo", "cuStreamQuery"), calls.keySet());
      assertEquals(500 * MIB, box.statistics().reserved().current());
      assertEquals(1, box.statistics().rejections());
      Allocation live = box.allocate(500 * MIB);
      refused(box.allocator, 600 * MIB, box.stream);
      assertEquals(1, box.statistics().rejections());
      live.close();
      box.allocate(600 * MIB);
    }
  }

  @OnBothMemories
  @DisplayName("17.9 because of what is live takes nothing before it is refused, and says so")
  void besideLiveMemory(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      Allocation live = box.allocate(5 * GIB);
      box.allocate(GIB).close();
      long taken = box.statistics().driverAllocations();
      long reserved = box.statistics().reserved().current();
      Map<String, Long> calls =
          callsOf(
              box,
              () -> {
                AllocatorOutOfMemoryException e = refused(box.allocator, 4 * GIB, box.stream);
                String steps = e.getReport().steps().toString();
                assertTrue(steps.contains("can be available beside live memory"), steps);
                assertNotNull(e.getCause(), "what the driver said");
              });
      assertEquals(taken, box.statistics().driverAllocations());
      assertEquals(reserved, box.statistics().reserved().current(), "nothing went back");
      assertEquals(0, calls.getOrDefault("cuMemMap", 0L));
      assertTrue(calls.getOrDefault("cuMemCreate", 0L) <= 2, calls.toString());
      assertTrue(calls.getOrDefault("cuMemAlloc", 0L) <= 2, calls.toString());
      live.close();
      box.allocate(4 * GIB);
    }
  }

  @OnBothMemories
  @DisplayName("17.9 because another process holds the memory takes nothing either")
  void besideOtherProcesses(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      long foreign = box.device.getMemory().allocate(6 * GIB);
      box.allocate(GIB).close();
      long taken = box.statistics().driverAllocations();
      refused(box.allocator, 3 * GIB, box.stream);
      assertEquals(taken, box.statistics().driverAllocations());
      assertEquals(GIB, box.statistics().reserved().current(), "nothing went back");
      box.device.getMemory().free(foreign);
      box.allocate(3 * GIB);
    }
  }

  @OnBothMemories
  @DisplayName(
      "17.9 in a private pool takes nothing either, and other pools release nothing for it")
  void privatePool(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool limited = box.allocator.createPool(PrivatePoolOptions.DEFAULT.withLimit(GIB));
        PrivatePool pool = box.allocator.createPool()) {
      box.allocate(3 * GIB).close();
      Allocation live = pool.getAllocator().allocate(4 * GIB, box.stream);
      long taken = box.statistics().driverAllocations();
      refused(limited.getAllocator(), 2 * GIB, box.stream);
      refused(pool.getAllocator(), TOO_MUCH, box.stream);
      refused(pool.getAllocator(), 5 * GIB, box.stream);
      assertEquals(taken, box.statistics().driverAllocations());
      assertEquals(7 * GIB, box.statistics().reserved().current(), "nothing went back");
      live.close();
    }
  }

  @OnBothMemories
  @DisplayName("17.9 is met once a handler has closed what stood in its way")
  void handlerHelps(VirtualMemoryUse use) {
    List<Allocation> expendable = new ArrayList<>();
    OutOfMemoryHandler handler =
        (report, attempt) -> {
          expendable.forEach(Allocation::close);
          return attempt == 1;
        };
    try (Sandbox box = Sandbox.on(use, b -> b.outOfMemoryHandler(handler))) {
      expendable.add(box.allocate(5 * GIB));
      box.allocate(4 * GIB);
      assertEquals(1, box.statistics().retries());
    }
  }

  @Test
  @DisplayName("17.9 on a source of segments shows by what the source says alone")
  void source() {
    try (Sandbox box = Sandbox.standard()) {
      CountingSource source = new CountingSource(box.device);
      PrivatePoolOptions options = PrivatePoolOptions.DEFAULT.withSource(source);
      try (PrivatePool pool = box.allocator.createPool(options)) {
        refused(pool.getAllocator(), TOO_MUCH, box.stream);
        pool.getAllocator().allocate(4 * GIB, box.stream).close();
      }
    }
  }
}
