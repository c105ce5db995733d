package org.vramkit.examples.racy;

import java.io.*;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.*;
import org.vramkit.api.device.*;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.testkit.sim.SimulatedGpu;

@SimulatedGpu
class ReverseTest {
  @Test
  void reverses(Device device, Stream stream) throws IOException {
    try (InputStream ptx = ReverseTest.class.getResourceAsStream("reverse.ptx");
        KernelModule module = device.loadModule(ptx.readAllBytes());
        CachingAllocator allocator = CachingAllocator.create(device);
        Allocation values = allocator.allocate(1024, ElementType.FLOAT32, stream)) {
      stream.fill(values.getAddress(), (byte) 0, values.getSize());
      stream.launch(module.getKernel("reverse"), LaunchConfig.covering(1024, 128), values, 1024);
    }
  }
}
