package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Graph;
import org.vramkit.sim.driver.CostModel;

/** Long programs: what the checker remembers depends on the memory in use, not on time. */
@DisplayName("The checker's history")
class BoundedHistoryTest {
  private static final int OPERATIONS = 1_000_000;
  private static final int BLOCKS = 1000;
  private static final int BLOCK = 4096;

  @Test
  @DisplayName("A million ordered operations over 1000 blocks leave no more ranges than blocks")
  void staysSmall() {
    try (SimBackend backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .bytes(false)
            .costModel(CostModel.FREE)
            .build()) {
      SimDevice device = backend.getDevice(0);
      List<SimStream> streams = IntStream.range(0, 4).mapToObj(i -> device.createStream()).toList();
      long base = device.getMemory().allocate((long) BLOCKS * BLOCK);
      SplittableRandom random = new SplittableRandom(1);
      int most = 0;
      for (int i = 0; i < OPERATIONS; i++) {
        // A quarter of the blocks for each stream: in order without any edge.
        int block = random.nextInt(BLOCKS);
        streams
            .get(block & 3)
            .launch(
                SimKernel.named("touch")
                    .writes(base + (long) block * BLOCK, 1 + random.nextInt(BLOCK))
                    .taking(100)
                    .build());
        if (i % 10_000 == 0) {
          most = Math.max(most, device.core().engine.checker.getHistorySize());
          backend.advance(1000);
        }
      }
      assertEquals(0, backend.getHazardCount());
      // A block written in part twice is at most a few ranges.
      assertTrue(most <= 20 * BLOCKS, "ranges remembered: " + most);
      device.getMemory().free(base);
    }
  }

  @Test
  @DisplayName(
      "The history of blocks that reuse the same memory stays bounded, in captures and outside")
  void ownersOfTheSameMemory() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        SimStream stream = backend.getDevice(0).createStream()) {
      SimDevice device = backend.getDevice(0);
      long memory = device.getMemory().allocate(BLOCK);
      List<WeakReference<String>> tags = new ArrayList<>();
      for (int i = 0; i < BLOCKS; i++) {
        device.getGraphs().beginCapture(stream);
        tags.add(takeBlock(device, memory, stream, "captured " + i));
        Graph graph = device.getGraphs().endCapture(stream);
        graph.launch(stream);
        device.getMemoryObserver().freed(memory, stream);
        graph.close();
        tags.add(takeBlock(device, memory, stream, "block " + i));
        device.getMemoryObserver().freed(memory, stream);
      }
      System.gc();
      long kept = tags.stream().filter(tag -> tag.get() != null).count();
      assertTrue(kept <= BLOCKS / 4, kept + " of " + tags.size() + " owners are remembered");
      stream.synchronize();
      device.getMemory().free(memory);
      assertEquals(List.of(), backend.getHazards());
    }
  }

  private static WeakReference<String> takeBlock(
      SimDevice device, long memory, SimStream stream, String tag) {
    device.getMemoryObserver().allocated(memory, BLOCK, stream, tag);
    stream.fill(memory, (byte) 1, BLOCK);
    return new WeakReference<>(tag);
  }
}
