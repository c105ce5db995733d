package org.vramkit.pool.caching.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.function.Executable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SegmentSource;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("An error inside of an allocator's call")
class BrokenPoolTest {

  @OnBothMemories
  @DisplayName(
      "42.23 breaks the allocator and its pools: later calls report it, closes of handles and"
          + " pools succeed, and the close returns all memory")
  void broken(VirtualMemoryUse use) {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      try (SimStream stream = device.createStream()) {
        CachingAllocator allocator = CachingAllocator.builder(device).virtualMemory(use).build();
        PrivatePool pool = allocator.createPool();
        Allocation small = allocator.allocate(1000, stream);
        Allocation large = allocator.allocate(3 * MIB, stream);
        Allocation lost = allocator.allocate(3 * MIB, stream);
        Allocation pooled = pool.getAllocator().allocate(3 * MIB, stream);
        allocator.allocate(1000, stream).close();
        backend
            .getFaults()
            .failNext(
                use == VirtualMemoryUse.ON ? "cuMemCreate" : "cuMemAlloc", Fault.JVM_OUT_OF_MEMORY);
        OutOfMemoryError error =
            assertThrows(OutOfMemoryError.class, () -> allocator.allocate(200 * MIB, stream));
        List<Executable> calls =
            List.of(
                () -> allocator.allocate(1000, stream),
                () -> allocator.allocate(200 * MIB, stream),
                () -> allocator.allocateAligned(1000, 4096, stream),
                () -> pool.getAllocator().allocate(1000, stream),
                () -> allocator.trim(0),
                allocator::getSnapshot,
                allocator::createPool);
        for (Executable each : calls) {
          IllegalStateException refused = assertThrows(IllegalStateException.class, each);
          assertTrue(String.valueOf(refused.getMessage()).contains("is broken"), refused::toString);
          assertSame(error, refused.getCause());
        }
        assertEquals(4, allocator.getStatistics().allocations().current());
        small.close();
        large.recordUse(stream);
        large.close();
        pooled.close();
        pool.close();
        assertFalse(lost.isClosed());
        allocator.close();
        allocator.close();
        assertEquals(0, allocator.getStatistics().reserved().current());
        assertEquals(device.getMemoryInfo().totalBytes(), device.getMemoryInfo().freeBytes());
      }
      assertEquals(List.of(), backend.getLeaks());
      assertEquals(List.of(), backend.getHazards());
    }
  }

  private static long fail(String of) {
    throw new AssertionError(of);
  }

  @OnBothMemories
  @DisplayName(
      "42.23 of a handler, a reclaimer or a source of segments is the user's, and breaks nothing")
  void ofUser(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, builder -> builder.limit(64 * MIB))) {
      Executable exceedLimit = () -> box.allocator.allocate(40 * MIB, box.stream);
      try (Allocation held = box.allocator.allocate(40 * MIB, box.stream)) {
        box.allocator.setOutOfMemoryHandler((report, attempt) -> fail("handler") == 0);
        assertOfUser("handler", exceedLimit);
        box.allocator.setOutOfMemoryHandler(OutOfMemoryHandler.NONE);
        Reclaimer reclaimer = bytes -> fail("reclaimer");
        box.allocator.addReclaimer(reclaimer);
        assertOfUser("reclaimer", exceedLimit);
        box.allocator.removeReclaimer(reclaimer);
        assertEquals(40 * MIB, held.getSize());
      }
      SegmentSource source =
          new SegmentSource() {
            @Override
            public long allocate(long bytes) {
              return fail("source");
            }

            @Override
            public void free(long address, long bytes) {}
          };
      try (PrivatePool pool =
          box.allocator.createPool(PrivatePoolOptions.DEFAULT.withSource(source))) {
        assertOfUser("source", () -> pool.getAllocator().allocate(MIB, box.stream));
      }
      box.allocator.allocate(50 * MIB, box.stream).close();
      box.allocator.trim(0);
      assertEquals(0, box.allocator.getStatistics().reserved().current());
    }
  }

  private static void assertOfUser(String of, Executable call) {
    AssertionError error = assertThrows(AssertionError.class, call);
    assertEquals(of, error.getMessage());
  }
}
