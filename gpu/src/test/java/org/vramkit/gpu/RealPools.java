package org.vramkit.gpu;

import org.junit.jupiter.api.Tag;
import org.vramkit.api.device.Backend;

/** Runs the scenarios on real GPUs and checks that each test restores free memory. */
@Tag("gpu")
abstract class RealPools extends PoolScenarios {
  private final RealMemory memory;

  RealPools(String name) {
    this.memory = new RealMemory(name);
  }

  @Override
  Backend open() {
    return memory.open();
  }

  @Override
  void assertClean(Backend used) {
    memory.assertAsBefore(used);
  }
}
