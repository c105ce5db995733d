package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.vramkit.api.device.Backend;
import org.vramkit.api.units.ByteSize;

/** Checks that a test restores the free memory of a real backend's devices. */
final class RealMemory {
  /**
   * Tolerance in bytes for the driver's own memory, which grows with threads and when memory runs
   * out. The simulator counts leaks exactly.
   */
  private static final long DRIVERS_OWN = 4 * ByteSize.MIB;

  private final String name;
  private List<Long> before = List.of();

  RealMemory(String name) {
    this.name = name;
  }

  Backend open() {
    Backend opened = RealGpu.open(name);
    before = free(opened);
    return opened;
  }

  void assertAsBefore(Backend used) {
    RealGpu.assertQuiet(name);
    List<Long> after = free(used);
    for (int i = 0; i < after.size(); i++) {
      assertTrue(
          after.get(i) >= before.get(i) - DRIVERS_OWN,
          "free on device " + i + ": " + before + " before, " + after + " after");
    }
  }

  private static List<Long> free(Backend backend) {
    return backend.getDevices().stream()
        .map(
            device -> {
              device.synchronize();
              return device.getMemoryInfo().freeBytes();
            })
        .toList();
  }
}
