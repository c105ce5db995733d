package org.vramkit.pool.caching.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Owner;

@DisplayName("A block closed under work of a stream that was not recorded, and never handed on")
class UnrecordedUseTest {
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream own = device.createStream("own");
  private final SimStream other = device.createStream("other");

  @AfterEach
  void close() {
    backend.close();
  }

  private List<HazardReport> closePool(VirtualMemoryUse use, boolean recorded) {
    try (CachingAllocator allocator = CachingAllocator.builder(device).virtualMemory(use).build()) {
      Allocation block = allocator.tagged("batch").allocate(4096, own);
      own.fill(block.getAddress(), (byte) 1, 4096);
      own.synchronize();
      other.launch(SimKernel.named("train").reads(block.getAddress(), 4096).build());
      if (recorded) {
        block.recordUse(other);
      }
      block.close();
    }
    other.synchronize();
    return backend.getHazards();
  }

  @OnBothMemories
  @DisplayName("is reported at the close: block, use, and what to call")
  void explained(VirtualMemoryUse use) {
    List<HazardReport> reports = closePool(use, false);
    assertEquals(1, reports.size(), reports::toString);
    HazardReport report = reports.get(0);
    assertEquals(EARLY_REUSE, report.code());
    Owner block = Objects.requireNonNull(report.memory(), report::toString);
    assertEquals("batch", block.tag());
    assertTrue(report.missing().contains("stream other of device 0 used it"), report.missing());
    assertTrue(report.missing().contains("not recorded"), report.missing());
    assertTrue(report.remedy().contains("recordUse before closing"), report.remedy());
  }

  @OnBothMemories
  @DisplayName("Twin: the pool waits for a recorded use")
  void recorded(VirtualMemoryUse use) {
    assertEquals(List.of(), closePool(use, true));
  }
}
