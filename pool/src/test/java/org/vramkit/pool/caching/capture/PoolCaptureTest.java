package org.vramkit.pool.caching.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.error.CaptureException;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

@DisplayName("A capture into a private pool")
class PoolCaptureTest {
  private static void write(SimStream stream, Allocation block) {
    stream.launch(
        SimKernel.named("write").writes(block.getAddress(), block.getSize()).taking(1000).build());
  }

  private static void read(SimStream stream, Allocation block) {
    stream.launch(
        SimKernel.named("read").reads(block.getAddress(), block.getSize()).taking(1000).build());
  }

  private static void order(Sandbox box, SimStream before, SimStream after) {
    try (SimEvent event = box.device.createEvent()) {
      event.record(before);
      after.waitFor(event);
    }
  }

  /** A graph that writes and reads a few blocks, each after the one before was closed. */
  private static Graph captured(Sandbox box, PrivatePool pool, long bytes) {
    try (PoolCapture capture = pool.capture(box.stream)) {
      for (int i = 0; i < 3; i++) {
        try (Allocation scratch = box.allocator.allocate(bytes, box.stream)) {
          write(box.stream, scratch);
          read(box.stream, scratch);
        }
      }
      return capture.end();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName(
      "takes memory while it captures, reuses it in stream order, and is launched 100 times")
  void launches(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      try (Graph graph = captured(box, pool, 8 * MIB)) {
        assertEquals(1, pool.getGraphCount());
        for (int i = 0; i < 100; i++) {
          graph.launch(box.stream);
        }
        assertTrue(pool.getAllocator().getStatistics().reserved().current() < 24 * MIB);
      }
      assertEquals(0, pool.getGraphCount());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName("leaves its memory to the graph: it is not reused, returned or moved")
  void reserved(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      PrivatePool pool = box.allocator.createPool();
      Graph graph = captured(box, pool, 8 * MIB);
      pool.close();
      long held = box.statistics().reserved().current();
      assertTrue(held >= 8 * MIB);
      box.stream.synchronize();
      box.allocator.trim(0);
      pool.getAllocator().trim(0);
      assertEquals(held, box.statistics().reserved().current());
      SimStream other = box.newStream();
      try (Allocation elsewhere = box.allocate(8 * MIB, other)) {
        write(other, elsewhere);
        graph.launch(box.stream);
        assertTrue(box.statistics().reserved().current() >= held + 8 * MIB);
      }
      assertThrows(IllegalStateException.class, box.allocator::close);
      graph.close();
      box.allocator.trim(0);
      assertEquals(0, box.statistics().reserved().current());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName(
      "lets what is allocated in it live on, be closed early, and be read between launches")
  void outputs(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      Allocation output;
      Graph graph;
      try (PoolCapture capture = pool.capture(box.stream)) {
        output = box.allocator.allocate(MIB, box.stream);
        write(box.stream, output);
        graph = capture.end();
      }
      graph.launch(box.stream);
      read(box.stream, output);
      output.close();
      graph.launch(box.stream);
      graph.close();
      try (Allocation again = pool.getAllocator().allocate(MIB, box.stream)) {
        write(box.stream, again);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName("keeps what other streams are recorded to use, on streams that it draws in")
  void recordedUses(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      SimStream side = box.newStream();
      Graph graph;
      try (PoolCapture capture = pool.capture(box.stream)) {
        Allocation shared = box.allocator.allocate(MIB, box.stream);
        write(box.stream, shared);
        order(box, box.stream, side);
        read(side, shared);
        shared.recordUse(side);
        long address = shared.getAddress();
        shared.close();
        try (Allocation next = box.allocator.allocate(MIB, box.stream);
            Allocation own = box.allocator.allocate(MIB, side)) {
          assertNotEquals(address, next.getAddress());
          write(box.stream, next);
          write(side, own);
        }
        order(box, side, box.stream);
        graph = capture.end();
      }
      graph.launch(box.stream);
      graph.launch(side);
      graph.close();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName("continues while other threads allocate, free and exhaust the default pool")
  void beside(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      SimStream other = box.newStream();
      Allocation before = box.allocate(4 * MIB);
      write(box.stream, before);
      order(box, box.stream, other);
      read(other, before);
      before.recordUse(other);
      Graph graph;
      try (PoolCapture capture = pool.capture(box.stream)) {
        before.recordUse(box.stream);
        before.close();
        CompletableFuture.runAsync(
                () -> {
                  for (int i = 0; i < 20; i++) {
                    try (Allocation each = box.allocator.allocate((i + 1) * MIB, other)) {
                      write(other, each);
                      each.recordUse(box.stream);
                    }
                  }
                  box.allocator.trim(0);
                })
            .join();
        try (Allocation scratch = box.allocator.allocate(MIB, box.stream)) {
          write(box.stream, scratch);
        }
        graph = capture.end();
      }
      graph.launch(box.stream);
      graph.close();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName(
      "is where memory on captured streams comes from: all else is refused, with the reason")
  void refusals(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool();
        PrivatePool second = box.allocator.createPool()) {
      SimStream other = box.newStream();
      box.allocator.allocate(MIB, box.stream).close();
      Graphs graphs = box.device.getGraphs();
      graphs.beginCapture(box.stream);
      assertRefused(() -> box.allocator.allocate(MIB, box.stream), "PrivatePool.capture");
      assertRefused(
          () -> box.allocator.allocateAligned(MIB, 4096, box.stream), "PrivatePool.capture");
      assertRefused(() -> pool.getAllocator().allocate(MIB, box.stream), "PrivatePool.capture");
      box.allocator.allocate(64 * MIB, other).close();
      graphs.endCapture(box.stream).close();
      try (PoolCapture capture = pool.capture(box.stream)) {
        assertRefused(() -> box.allocator.allocate(MIB, other), "which is not captured");
        try (PoolScope inner = second.use()) {
          assertFalse(Insides.isClosed(inner));
          assertRefused(() -> box.allocator.allocate(MIB, box.stream), "PrivatePool.capture");
        }
        assertThrows(CaptureException.class, () -> second.capture(box.stream));
        assertEquals(0, second.getGraphCount());
        pool.getAllocator().allocate(MIB, box.stream).close();
        Graph graph = capture.end();
        assertThrows(IllegalStateException.class, capture::end);
        assertRefused(() -> pool.getAllocator().allocate(MIB, box.stream), "1 graph use");
        graph.close();
      }
      box.allocator.allocate(MIB, box.stream).close();
    }
  }

  private static void assertRefused(Runnable call, String reason) {
    CaptureException refusal = assertThrows(CaptureException.class, call::run);
    assertTrue(refusal.toString().contains(reason), refusal::toString);
    assertTrue(refusal.toString().contains("cannot allocate 1.00 MiB"), refusal::toString);
  }

  @ParameterizedTest
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName("that is invalidated or abandoned leaves nothing behind")
  @SuppressWarnings("try") // what is given up is not used
  void givenUp(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      try (PoolCapture capture = pool.capture(box.stream)) {
        assertEquals(1, pool.getGraphCount());
        box.allocator.allocate(MIB, box.stream).close();
      }
      try (PoolCapture capture = pool.capture(box.stream)) {
        assertThrows(CaptureException.class, box.stream::synchronize);
        assertThrows(CaptureException.class, capture::end);
      }
      assertEquals(0, pool.getGraphCount());
      assertFalse(box.device.getGraphs().isAnyCapturing());
      pool.getAllocator().allocate(MIB, box.stream).close();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = VirtualMemoryUse.class,
      names = {"ON", "OFF"})
  @DisplayName("shares its memory with other graphs of the pool, which are launched in order")
  void several(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      Graph one = captured(box, pool, 8 * MIB);
      long held = box.statistics().reserved().current();
      Graph other = captured(box, pool, 8 * MIB);
      assertEquals(held, box.statistics().reserved().current());
      assertEquals(2, pool.getGraphCount());
      for (int i = 0; i < 5; i++) {
        one.launch(box.stream);
        other.launch(box.stream);
      }
      one.close();
      other.launch(box.stream);
      other.close();
    }
  }
}
