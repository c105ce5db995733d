package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName(
    "Issue 19: memory of a closed allocation is named as such after its pages" + " were unmapped")
class UseAfterTrimTest {
  private static final long BYTES = 32 * ByteSize.MIB;

  private static void expectNamed(HazardReport report) {
    String text = report.toString();
    assertEquals(HazardCode.USE_AFTER_FREE, report.code(), text);
    assertTrue(text.contains("embedding") && text.contains("pool free"), text);
    assertTrue(text.contains("UseAfterTrimTest.java"), text);
  }

  private static SimBackend open() {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .checker(CheckerOptions.DEFAULT.withStacks(true))
        .build();
  }

  private static void read(SimStream stream, long address, long bytes) {
    stream.launch(SimKernel.named("lookup").reads(address, bytes).build());
  }

  @OnBothMemories
  @DisplayName("given back by trim: the report names the allocation and where it was closed")
  void trimmed(VirtualMemoryUse memory) {
    try (SimBackend gpu = open()) {
      SimDevice device = gpu.getDevice(0);
      try (SimStream stream = device.createStream();
          CachingAllocator allocator =
              CachingAllocator.builder(device).virtualMemory(memory).build()) {
        Allocation closed = allocator.allocate(BYTES, stream, "embedding");
        long address = closed.getAddress();
        stream.fill(address, (byte) 1, BYTES);
        closed.close();
        stream.synchronize();
        allocator.trim(0);
        read(stream, address + 512, 1024);
      }
      List<HazardReport> found = gpu.getHazards();
      assertEquals(1, found.size(), found::toString);
      expectNamed(found.get(0));
      assertEquals(List.of(), gpu.getLeaks());
    }
  }

  @OnBothMemories
  @DisplayName("moved to a larger block: the same")
  void moved(VirtualMemoryUse memory) {
    try (SimBackend gpu = open()) {
      SimDevice device = gpu.getDevice(0);
      try (SimStream stream = device.createStream();
          CachingAllocator allocator =
              CachingAllocator.builder(device).virtualMemory(memory).limit(4 * BYTES).build()) {
        Allocation first = allocator.allocate(BYTES, stream, "embedding");
        Allocation kept = allocator.allocate(BYTES, stream, "kept");
        Allocation third = allocator.allocate(BYTES, stream, "embedding");
        long address = first.getAddress();
        first.close();
        third.close();
        stream.synchronize();
        Allocation large = allocator.allocate(3 * BYTES, stream, "large");
        read(stream, address + 512, 1024);
        List<HazardReport> found = gpu.getHazards();
        assertEquals(1, found.size(), found::toString);
        expectNamed(found.get(0));
        large.close();
        kept.close();
        stream.synchronize();
      }
      assertEquals(List.of(), gpu.getLeaks());
    }
  }
}
