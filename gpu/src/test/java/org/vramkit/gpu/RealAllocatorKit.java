package org.vramkit.gpu;

import org.vramkit.api.device.Backend;
import org.vramkit.testkit.AllocatorKit;

/** The allocators' kit on a real device, which checks that each test restores free memory. */
abstract class RealAllocatorKit extends AllocatorKit {
  private final RealMemory memory;

  RealAllocatorKit(String backend) {
    this.memory = new RealMemory(backend);
  }

  @Override
  protected Backend openBackend() {
    return memory.open();
  }

  @Override
  protected void assertClean(Backend used) {
    memory.assertAsBefore(used);
  }
}
