package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("What is advised where memory is out")
class AdviceTest {
  private static final long MIB = 1L << 20;

  private static String refusal(VirtualMemoryUse memory) {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.SMALL_8GIB).bytes(false).build()) {
      SimDevice device = backend.getDevice(0);
      long others = device.getMemory().allocate(device.getMemoryInfo().freeBytes() - MIB);
      try (CachingAllocator allocator =
              CachingAllocator.builder(device).virtualMemory(memory).build();
          SimStream stream = device.createStream()) {
        return assertThrows(
                AllocatorOutOfMemoryException.class, () -> allocator.allocate(512, stream))
            .toString();
      } finally {
        device.getMemory().free(others);
      }
    }
  }

  @Test
  @DisplayName("17.4 where less than a page or a segment is free, it is what is missing of one")
  void lessThanOne() {
    for (VirtualMemoryUse memory :
        new VirtualMemoryUse[] {VirtualMemoryUse.ON, VirtualMemoryUse.OFF}) {
      String told = refusal(memory);
      assertTrue(told.contains("to do: free 1.00 MiB; other users of the device hold"), told);
    }
  }

  @Test
  @DisplayName("17.4 initial memory that no device has is told of as that option")
  void initial() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      var builder = CachingAllocator.builder(backend.getDevice(0)).initial(900L << 30);
      String told = assertThrows(AllocatorOutOfMemoryException.class, builder::build).toString();
      assertTrue(told.contains("option initial: out of memory on device 0"), told);
    }
  }
}
