package org.vramkit.pool.caching.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.pool.caching.Sandbox.MIB;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Graph;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

@Tag("virtual-time")
@DisplayName(
    "17.29 A capture into a pool that has served before, or beside streams that are closed")
class CaptureAfterUseTest {
  private static final long LONG = 50_000_000;

  @OnBothMemories
  @DisplayName("gives a graph that may be launched on any stream, as its memory is used no more")
  void launchedElsewhere(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      SimStream elsewhere = box.newStream();
      useForLong(pool.getAllocator().allocate(MIB, box.stream)).close();
      try (Graph graph = scratchOn(box, pool, box.stream)) {
        graph.launch(elsewhere);
      }
    }
  }

  @OnBothMemories
  @DisplayName("keeps blocks that outlast the capture from being reused")
  void lastingBlocks(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      SimStream elsewhere = box.newStream();
      useForLong(pool.getAllocator().allocate(MIB, box.stream)).close();
      try (PoolCapture capture = pool.capture(box.stream);
          Allocation output = box.allocator.allocate(MIB, box.stream)) {
        write(box.stream, output, 1000);
        try (Graph graph = capture.end()) {
          graph.launch(elsewhere);
        }
      }
    }
  }

  @OnBothMemories
  @DisplayName("the same holds for streams that join the capture, and for blocks that it closes")
  void drawnIn(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      SimStream side = box.newStream();
      SimStream elsewhere = box.newStream();
      Allocation closedMeanwhile = useForLong(pool.getAllocator().allocate(MIB, side));
      useForLong(pool.getAllocator().allocate(MIB, side)).close();
      try (PoolCapture capture = pool.capture(box.stream)) {
        order(box, box.stream, side);
        closedMeanwhile.close();
        try (Allocation first = pool.getAllocator().allocate(MIB, side);
            Allocation second = pool.getAllocator().allocate(MIB, side)) {
          write(side, first, 1000);
          write(side, second, 1000);
        }
        order(box, side, box.stream);
        try (Graph graph = capture.end()) {
          graph.launch(elsewhere);
        }
      }
    }
  }

  @OnBothMemories
  @DisplayName("the same holds for blocks closed between two captures into one pool")
  void betweenCaptures(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      SimStream elsewhere = box.newStream();
      Allocation longLived = pool.getAllocator().allocate(MIB, box.stream);
      try (Graph first = scratchOn(box, pool, elsewhere)) {
        useForLong(longLived).close();
        try (Graph second = scratchOn(box, pool, box.stream)) {
          second.launch(elsewhere);
        }
        first.launch(elsewhere);
      }
    }
  }

  @OnBothMemories
  @DisplayName("is refused memory that a closed stream may still use, and asks for it afterwards")
  void besideClosedStream(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        PrivatePool pool = box.allocator.createPool()) {
      SimStream closed = box.newStream();
      useForLong(box.allocator.allocate(48 * MIB, closed)).close();
      closed.close();
      box.allocator.setLimit(64 * MIB);
      try (PoolCapture capture = pool.capture(box.stream)) {
        assertThrows(
            DeviceOutOfMemoryException.class, () -> box.allocator.allocate(40 * MIB, box.stream));
        capture.end().close();
      }
      box.allocator.allocate(40 * MIB, box.stream).close();
      assertEquals(0, box.statistics().allocations().current());
    }
  }

  private static Graph scratchOn(Sandbox box, PrivatePool pool, SimStream stream) {
    try (PoolCapture capture = pool.capture(stream)) {
      try (Allocation scratch = box.allocator.allocate(MIB, stream)) {
        write(stream, scratch, 1000);
      }
      return capture.end();
    }
  }

  private static Allocation useForLong(Allocation block) {
    write((SimStream) block.getStream(), block, LONG);
    return block;
  }

  private static void write(SimStream stream, Allocation block, long nanos) {
    stream.launch(
        SimKernel.named("write").writes(block.getAddress(), block.getSize()).taking(nanos).build());
  }

  private static void order(Sandbox box, SimStream before, SimStream after) {
    try (SimEvent event = box.device.createEvent()) {
      event.record(before);
      after.waitFor(event);
    }
  }
}
