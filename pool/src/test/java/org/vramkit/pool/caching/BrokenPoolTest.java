package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.internal.heap.HeapChecks;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("42.23 A pool that an error of the JVM has broken")
class BrokenPoolTest {
  private final StackOverflowError error = new StackOverflowError("as planned");

  @OnBothMemories
  @DisplayName(
      "42.23 reports the cause; its allocator continues, and its close releases all memory")
  void privatePool(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      PrivatePool pool = box.allocator.createPool();
      Allocation held = pool.getAllocator().allocate(3 * MIB, box.stream);
      HeapChecks.breakWith(error, pool.arena().heap);
      IllegalStateException refused =
          assertThrows(
              IllegalStateException.class,
              () -> pool.getAllocator().allocate(20 * MIB, box.stream));
      assertSame(error, refused.getCause());
      held.close();
      pool.close();
      box.allocator.allocate(20 * MIB, box.stream).close();
      box.allocator.trim(0);
      box.allocator.close();
      assertEquals(0, box.statistics().reserved().current());
    }
  }

  @OnBothMemories
  @DisplayName("42.23 gives its memory back with the close, though a block was lost on its way")
  void lostBlock(VirtualMemoryUse use) {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      try (SimStream stream = device.createStream()) {
        CachingAllocator allocator = CachingAllocator.builder(device).virtualMemory(use).build();
        allocator.allocate(3 * MIB, stream);
        HeapChecks.breakWith(error, allocator.pools().main.heap);
        allocator.close();
        assertEquals(0, allocator.getStatistics().reserved().current());
        assertEquals(device.getMemoryInfo().totalBytes(), device.getMemoryInfo().freeBytes());
      }
      assertEquals(List.of(), backend.getLeaks());
    }
  }
}
