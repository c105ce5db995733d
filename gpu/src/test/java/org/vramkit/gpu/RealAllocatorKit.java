package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.vramkit.api.device.Backend;
import org.vramkit.testkit.AllocatorKit;

/**
 * The allocators' kit on a real device, whose free memory is the same before and after each test.
 */
abstract class RealAllocatorKit extends AllocatorKit {
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
    assertEquals(freeBefore, used.getDevice(0).getMemoryInfo().freeBytes(), "free memory");
  }
}
