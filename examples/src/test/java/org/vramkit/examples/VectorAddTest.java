package org.vramkit.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.examples.cuda.VectorAdd;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.testkit.sim.SimulatedGpu;

/** How code that launches kernels is tested without a GPU; docs/kernels.md quotes it. */
@DisplayName("A vector add on the simulator")
@SimulatedGpu(memory = "64MiB")
class VectorAddTest {

  @Test
  @DisplayName("runs the kernel, whose accesses are checked")
  void adds(SimDevice device, SimStream stream) {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        BufferPool buffers = BufferPool.create(allocator);
        TypedBuffer a = buffers.acquire(ElementType.FLOAT32, 3, stream);
        TypedBuffer sums = buffers.acquire(ElementType.FLOAT32, 3, stream);
        VectorAdd kernel = new VectorAdd(device)) {
      a.copyFrom(new float[] {1, 2, 3});
      kernel.submit(stream, sums, a, a, 3);
      float[] found = new float[3];
      sums.copyTo(found);
      assertArrayEquals(new float[] {2, 4, 6}, found);
    }
  }

  @Test
  @DisplayName("has a main method that runs on any backend")
  void mainRuns() {
    VectorAdd.main(new String[0]);
  }
}
