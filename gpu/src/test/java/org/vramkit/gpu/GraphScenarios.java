package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;

/** Scenarios of graphs with memory from a private pool. */
interface GraphScenarios {
  int LAUNCHES = 100;
  int BYTES = (int) ByteSize.MIB;

  Device getDevice();

  private static void order(Stream before, Stream after) {
    try (Event event = before.getDevice().createEvent()) {
      event.record(before);
      after.waitFor(event);
    }
  }

  private void assumeGraphs() {
    assumeTrue(getDevice().supports(Capability.GRAPHS), "the device has no graphs");
  }

  /** Copies host bytes through two scratch blocks on two streams to the output. */
  private static void work(
      CachingAllocator allocator, Stream main, Stream side, PinnedBuffer source, Allocation out) {
    try (Allocation scratch = allocator.allocate(BYTES, main)) {
      main.copyToDevice(scratch.getAddress(), source, 0, BYTES);
      order(main, side);
      side.copy(out.getAddress(), scratch.getAddress(), BYTES / 2);
      scratch.recordUse(side);
    }
    try (Allocation second = allocator.allocate(BYTES, main)) {
      main.copyToDevice(second.getAddress(), source, 0, BYTES);
      main.copy(out.getAddress() + BYTES / 2, second.getAddress(), BYTES / 2);
    }
    order(side, main);
  }

  @Test
  @DisplayName(
      "a graph with memory of a private pool gives the right bytes with each of 100 launches")
  default void launchedOften() {
    assumeGraphs();
    try (CachingAllocator allocator = CachingAllocator.create(getDevice());
        PrivatePool pool = allocator.createPool();
        Stream main = getDevice().createStream();
        Stream side = getDevice().createStream();
        PinnedBuffer source = getDevice().getPinnedMemory().allocate(BYTES)) {
      Allocation output;
      Graph graph;
      try (PoolCapture capture = pool.capture(main)) {
        output = allocator.allocate(BYTES, main);
        work(allocator, main, side, source, output);
        graph = capture.end();
      }
      long held = allocator.getStatistics().reserved().current();
      ByteBuffer host = source.getBytes(0, BYTES);
      for (int launch = 0; launch < LAUNCHES; launch++) {
        byte value = (byte) (launch + 1);
        for (int i = 0; i < BYTES; i += 512) {
          host.put(i, value);
        }
        Stream on = launch % 2 == 0 ? main : side;
        try (Allocation other = allocator.allocate(BYTES, on)) {
          // Memory of the default pool does not belong to the graph.
          on.fill(other.getAddress(), (byte) -1, BYTES);
        }
        graph.launch(on);
        ByteBuffer found = ByteBuffer.allocate(BYTES);
        on.copyToHost(found, output.getAddress());
        for (int i = 0; i < BYTES; i += 512) {
          assertEquals(value, found.get(i), "launch " + launch + ", byte " + i);
        }
      }
      allocator.trim(0);
      assertEquals(held, allocator.getStatistics().reserved().current(), "the graph's own");
      output.close();
      graph.close();
    }
  }

  @Test
  @DisplayName("the caching allocator refuses what cannot be captured, with the reason")
  default void refused() {
    assumeGraphs();
    try (CachingAllocator allocator = CachingAllocator.create(getDevice());
        Stream stream = getDevice().createStream()) {
      allocator.allocate(BYTES, stream).close();
      getDevice().getGraphs().beginCapture(stream);
      CaptureException refusal =
          assertThrows(CaptureException.class, () -> allocator.allocate(BYTES, stream));
      assertTrue(refusal.toString().contains("PrivatePool.capture"), refusal::toString);
      getDevice().getGraphs().endCapture(stream).close();
      allocator.allocate(BYTES, stream).close();
    }
  }
}
