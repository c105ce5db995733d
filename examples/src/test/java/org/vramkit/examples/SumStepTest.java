package org.vramkit.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.testkit.sim.SimulatedGpu;

/** How code that launches kernels through a binding is tested; docs/cuda.md quotes it. */
@DisplayName("A step that launches kernels of its own")
@SimulatedGpu(memory = "64MiB")
class SumStepTest {
  private static final int COUNT = 1000;

  /** What the step launches. On a GPU it is cuLaunchKernel that does it. */
  @FunctionalInterface
  interface SumKernel {
    void launch(Stream stream, long sum, long values, int count);
  }

  /** The code under test: it knows streams and addresses, and no binding. */
  static void step(Allocator allocator, Stream stream, SumKernel kernel) {
    try (Allocation values = allocator.allocate(4L * COUNT, stream);
        Allocation sum = allocator.allocate(4, stream)) {
      stream.fill(values.getAddress(), (byte) 0, values.getSize());
      kernel.launch(stream, sum.getAddress(), values.getAddress(), COUNT);
    }
  }

  /** In tests: the bytes that the kernel touches, so that the checker can judge it. */
  static void simulate(Stream stream, long sum, long values, int count) {
    ((SimStream) stream)
        .launch(SimKernel.named("sum").reads(values, 4L * count).writes(sum, 4).build());
  }

  @Test
  @DisplayName("orders them")
  void isOrdered(SimDevice device, SimStream stream) {
    try (CachingAllocator allocator = CachingAllocator.create(device)) {
      step(allocator, stream, SumStepTest::simulate);
    }
    assertEquals(1, device.getBackend().getDriverCalls().getCount("cuLaunchKernel"));
  }
}
