package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DriverException;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.HeapChecks;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

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

  @ParameterizedTest
  @ValueSource(strings = {"cuMemMap", "cuMemSetAccess"})
  @DisplayName("42.23 gives back what a growth had mapped as another thread broke it")
  void growing(String failing) {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      try (SimStream stream = device.createStream()) {
        AtomicReference<Heap> breaking = new AtomicReference<>();
        CachingAllocator allocator =
            CachingAllocator.builder(device)
                .virtualMemory(VirtualMemoryUse.ON)
                .clock(
                    () -> {
                      if (breaking.get() != null && isGrowing()) {
                        HeapChecks.breakWith(error, breaking.getAndSet(null));
                      }
                      return System.nanoTime();
                    })
                .build();
        breaking.set(allocator.pools().main.heap);
        backend.getFaults().failNth(failing, failing.equals("cuMemMap") ? 3 : 1, Fault.UNKNOWN);
        assertThrows(DriverException.class, () -> allocator.allocate(64 * MIB, stream));
        allocator.close();
        assertEquals(0, allocator.getStatistics().reserved().current());
        assertEquals(device.getMemoryInfo().totalBytes(), device.getMemoryInfo().freeBytes());
      }
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  private static boolean isGrowing() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(each -> each.getMethodName().equals("carryOut")));
  }
}
