package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.vramkit.api.device.Backend;
import org.vramkit.api.units.ByteSize;
import org.vramkit.testkit.AllocatorKit;

/**
 * The allocators' kit on a real device, whose free memory is the same before and after each test.
 */
abstract class RealAllocatorKit extends AllocatorKit {
  /**
   * What the driver takes and gives back for itself, when threads first work at once and when
   * memory runs out. On the simulator leaks are counted to the byte.
   */
  private static final long DRIVERS_OWN = 4 * ByteSize.MIB;

  private final String backend;
  private long freeBefore;

  RealAllocatorKit(String backend) {
    this.backend = backend;
  }

  @Override
  protected Backend openBackend() {
    Backend opened = RealGpu.open(backend);
    opened.getDevice(0).synchronize();
    freeBefore = opened.getDevice(0).getMemoryInfo().freeBytes();
    return opened;
  }

  @Override
  protected void assertClean(Backend used) {
    RealGpu.assertQuiet(backend);
    long freeAfter = used.getDevice(0).getMemoryInfo().freeBytes();
    assertTrue(freeAfter >= freeBefore - DRIVERS_OWN, freeBefore + " free before, " + freeAfter);
  }
}
