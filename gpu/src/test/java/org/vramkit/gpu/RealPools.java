package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.vramkit.api.device.Backend;
import org.vramkit.api.units.ByteSize;

/** On real GPUs, whose free memory is the same before and after each test. */
@Tag("gpu")
abstract class RealPools extends PoolScenarios {
  /** What the driver takes and gives back for itself. */
  private static final long DRIVERS_OWN = 4 * ByteSize.MIB;

  private final String name;
  private List<Long> freeBefore = List.of();

  RealPools(String name) {
    this.name = name;
  }

  @Override
  Backend open() {
    Backend opened = RealGpu.open(name);
    freeBefore = free(opened);
    return opened;
  }

  @Override
  void assertClean(Backend used) {
    RealGpu.assertQuiet(name);
    List<Long> freeAfter = free(used);
    for (int i = 0; i < freeAfter.size(); i++) {
      assertTrue(
          freeAfter.get(i) >= freeBefore.get(i) - DRIVERS_OWN,
          "device " + i + ": " + freeBefore + " free before, " + freeAfter);
    }
  }

  private static List<Long> free(Backend backend) {
    return backend.getDevices().stream().map(device -> device.getMemoryInfo().freeBytes()).toList();
  }
}
