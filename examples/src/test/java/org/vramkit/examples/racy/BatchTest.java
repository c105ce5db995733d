package org.vramkit.examples.racy;

import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.*;
import org.vramkit.testkit.sim.SimulatedGpu;

@SimulatedGpu
class BatchTest {
  @Test
  void batchIsReusedWhenTrained(SimDevice device, SimStream loading, SimStream training) {
    try (CachingAllocator allocator = CachingAllocator.create(device)) {
      Allocation batch = allocator.allocate(4096, loading);
      loading.fill(batch.getAddress(), (byte) 1, 4096);
      loading.synchronize();
      training.launch(SimKernel.named("train").reads(batch.getAddress(), 4096).build());
      batch.close(); // training may still read it: batch.recordUse(training) is missing
      allocator.allocate(4096, loading).close(); // the same memory
    }
  }
}
