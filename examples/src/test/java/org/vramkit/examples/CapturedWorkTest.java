package org.vramkit.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

@DisplayName("19 Work that is captured once and launched often")
class CapturedWorkTest {
  @Test
  @DisplayName("runs where it is launched, with plain memory")
  void plain() {
    try (SimBackend backend = SimBackend.builder().build()) {
      SimDevice gpu = backend.getDevice(0);
      SimStream a = gpu.createStream();
      SimStream b = gpu.createStream();
      long memory = gpu.getMemory().allocate(4096);
      Graphs graphs = gpu.getGraphs();
      graphs.beginCapture(a);
      a.launch(SimKernel.named("step").writes(memory, 4096).build());
      Graph graph = graphs.endCapture(a);
      graph.launch(b);
      b.synchronize();
      graph.close();
      gpu.getMemory().free(memory);
      a.close();
      b.close();
      assertEquals(List.of(), backend.getHazards());
    }
  }

  @Test
  @DisplayName("keeps memory of a private pool until it is closed")
  @SuppressWarnings("try") // The scratch memory is held, not used.
  void withPool() {
    long bytes = 4096;
    int steps = 100;
    try (SimBackend backend = SimBackend.builder().build()) {
      SimStream stream = backend.getDevice(0).createStream();
      try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
        try (PrivatePool pool = allocator.createPool()) {
          Graph graph;
          try (PoolCapture capture = pool.capture(stream)) {
            try (Allocation scratch = allocator.allocate(bytes, stream)) {
              // your kernels on the stream
            }
            graph = capture.end();
          }
          for (int step = 0; step < steps; step++) {
            graph.launch(stream);
          }
          graph.close();
        }
      }
      stream.close();
      assertEquals(List.of(), backend.getHazards());
    }
  }
}
