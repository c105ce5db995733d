package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.error.CaptureException;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

@DisplayName("42.20 While a stream is captured")
@Tag("virtual-time")
class PoolCapturesTest {
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final Graphs graphs = device.getGraphs();
  private final SimStream stream = device.createStream();
  private final SimStream captured = device.createStream();
  private final Allocator allocator = CachingAllocator.create(device);
  private final ExecutorService other = Executors.newSingleThreadExecutor();

  @AfterEach
  void endWithNothingLeft() {
    other.shutdown();
    device.synchronize();
    assertEquals(0, allocator.getStatistics().allocations().current(), "live");
    allocator.close();
    stream.close();
    captured.close();
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getWarnings(), "warnings");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
    backend.close();
  }

  /** Does something on another thread, which captures. */
  private void elsewhere(Runnable call) {
    try {
      other.submit(call).get();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  private static void write(SimStream on, long address, long bytes) {
    on.launch(SimKernel.named("write").writes(address, bytes).taking(1000).build());
  }

  // ---- (a) closed or recorded on a captured stream ----

  @Test
  @DisplayName("a page-locked buffer that is closed belongs to the graph until that is closed")
  void pinnedClosedInCapture() {
    PinnedPool pool = PinnedPool.create(device);
    Allocation target = allocator.allocate(MIB, stream);
    stream.synchronize();
    graphs.beginCapture(captured);
    long address;
    try (PooledPinnedBuffer copying = pool.acquire(MIB)) {
      address = copying.getMemory().getAddress();
      copying.copyToDevice(target.getAddress(), captured);
    }
    assertNull(pool.tryAcquire(MIB), "the graph copies from it");
    pool.trim(0);
    try (Graph graph = graphs.endCapture(captured)) {
      assertFalse(graph.isClosed());
      try (PooledPinnedBuffer next = pool.acquire(MIB)) {
        assertNotEquals(address, next.getMemory().getAddress());
      }
      pool.trim(0);
      assertEquals(MIB, pool.getLockedBytes());
    }
    try (PooledPinnedBuffer again = pool.acquire(MIB)) {
      assertEquals(address, again.getMemory().getAddress(), "no graph is left that copies from it");
    }
    target.close();
    pool.close();
    assertEquals(0, pool.getLockedBytes());
  }

  @Test
  @DisplayName(
      "a block with a use recorded during the capture belongs to it, too, if closed only"
          + " afterwards")
  void pinnedRecordedInCapture() {
    PinnedPool pool = PinnedPool.create(device);
    Allocation target = allocator.allocate(MIB, stream);
    stream.synchronize();
    graphs.beginCapture(captured);
    PooledPinnedBuffer copying = pool.acquire(MIB);
    copying.copyToDevice(target.getAddress(), captured);
    try (Graph graph = graphs.endCapture(captured)) {
      copying.close();
      assertFalse(graph.isClosed());
      assertNull(pool.tryAcquire(MIB), "the graph copies from it");
    }
    pool.acquire(MIB).close();
    assertEquals(1, pool.getHits());
    target.close();
    pool.close();
  }

  @Test
  @DisplayName("the pool of page-locked buffers is closed only after the capture")
  void pinnedPoolClosedInCapture() {
    PinnedPool pool = PinnedPool.create(device);
    Allocation target = allocator.allocate(MIB, stream);
    stream.synchronize();
    graphs.beginCapture(captured);
    try (PooledPinnedBuffer copying = pool.acquire(MIB)) {
      copying.copyToDevice(target.getAddress(), captured);
    }
    CaptureException e = assertThrows(CaptureException.class, pool::close);
    assertTrue(e.toString().contains("1.00 MiB"), e::toString);
    graphs.endCapture(captured).close();
    pool.close();
    assertEquals(0, pool.getLockedBytes());
    target.close();
  }

  @Test
  @DisplayName("a typed buffer that is closed belongs to the graph, too, be it of another stream")
  void bufferClosedInCapture() {
    BufferPool pool = BufferPool.create(allocator);
    TypedBuffer own = pool.acquire(ElementType.INT8, MIB, captured);
    TypedBuffer used = pool.acquire(ElementType.INT8, MIB, stream);
    device.synchronize();
    List<Long> addresses = List.of(own.getAddress(), used.getAddress());
    graphs.beginCapture(captured);
    for (TypedBuffer each : List.of(own, used)) {
      write(captured, each.getAddress(), MIB);
      each.recordUse(captured);
      each.close();
    }
    pool.emptyCache();
    try (Graph graph = graphs.endCapture(captured)) {
      for (SimStream each : List.of(stream, captured)) {
        try (TypedBuffer next = pool.acquire(ElementType.INT8, MIB, each)) {
          assertTrue(!addresses.contains(next.getAddress()), "the graph uses it");
          write(each, next.getAddress(), MIB);
        }
      }
      assertFalse(graph.isClosed());
      pool.emptyCache();
      assertEquals(2 * MIB, pool.getCachedBytes(0));
    }
    pool.emptyCache();
    assertEquals(0, pool.getCachedBytes(0));
    pool.close();
  }

  @Test
  @DisplayName("a workspace whose lease ends belongs to the graph")
  void leaseEndsInCapture() {
    WorkspacePool pool = WorkspacePool.create(allocator);
    WorkspaceLease lease = pool.acquire(MIB, captured);
    long address = lease.getAddress();
    captured.synchronize();
    graphs.beginCapture(captured);
    write(captured, address, MIB);
    lease.close();
    try (Graph graph = graphs.endCapture(captured)) {
      try (WorkspaceLease next = pool.acquire(MIB, captured)) {
        assertNotEquals(address, next.getAddress());
        write(captured, next.getAddress(), MIB);
      }
      assertFalse(graph.isClosed());
    }
    pool.close();
    assertEquals(0, pool.getFreeBytes());
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a block that is closed belongs to the graph, and goes back after that")
  void blockClosedInCapture(Kind kind) {
    Allocator blocks = kind.create(device);
    Allocation own = blocks.allocate(MIB, captured);
    Allocation used = blocks.allocate(2 * MIB, stream);
    device.synchronize();
    graphs.beginCapture(captured);
    write(captured, own.getAddress(), MIB);
    own.close();
    used.recordUse(captured);
    blocks.trim(0);
    try (Graph graph = graphs.endCapture(captured)) {
      used.close();
      try (Allocation next = blocks.allocate(MIB, captured)) {
        write(captured, next.getAddress(), MIB);
      }
      assertFalse(graph.isClosed());
      assertTrue(blocks.getStatistics().cachedBytes() >= 3 * MIB);
    }
    blocks.trim(0);
    device.synchronize();
    blocks.close();
    assertEquals(0, blocks.getStatistics().reserved().current());
  }

  // ---- (b) asked for on a captured stream ----

  @Test
  @DisplayName(
      "a captured stream gets no buffer, workspace or block, cached or not, and the capture"
          + " continues")
  void refused() {
    BufferPool buffers = BufferPool.create(allocator);
    WorkspacePool workspaces = WorkspacePool.create(allocator);
    buffers.acquire(ElementType.INT8, MIB, captured).close();
    workspaces.acquire(MIB, captured).close();
    graphs.beginCapture(captured);
    List<Runnable> requests =
        List.of(
            () -> buffers.acquire(ElementType.INT8, MIB, captured),
            () -> buffers.tryAcquire(ElementType.INT8, MIB, captured),
            () -> workspaces.acquire(MIB, captured));
    for (Runnable each : requests) {
      CaptureException e = assertThrows(CaptureException.class, each::run);
      assertTrue(e.toString().contains("PrivatePool.capture"), e::toString);
    }
    buffers.acquire(ElementType.INT8, MIB, stream).close();
    graphs.endCapture(captured).close();
    buffers.close();
    workspaces.close();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a captured stream gets no block, cached or not; other streams do")
  void blockRefused(Kind kind) {
    Allocator blocks = kind.create(device);
    blocks.allocate(MIB, captured).close();
    graphs.beginCapture(captured);
    CaptureException e = assertThrows(CaptureException.class, () -> blocks.allocate(MIB, captured));
    assertTrue(e.toString().contains("PrivatePool.capture"), e::toString);
    elsewhere(() -> blocks.allocate(3 * MIB, stream).close());
    graphs.endCapture(captured).close();
    blocks.allocate(MIB, captured).close();
    blocks.close();
  }

  // ---- (c) closed streams, and a capture of another thread ----

  @ParameterizedTest
  @EnumSource
  @DisplayName("a block of a closed stream can be closed, and what is in use is not handed out")
  void closedStreamAndForeignCapture(Kind kind) {
    Allocator blocks = kind.create(device);
    SimStream brief = device.createStream();
    Allocation block = blocks.allocate(MIB, brief);
    Allocation used = blocks.allocate(MIB, stream);
    long address = block.getAddress();
    write(brief, address, MIB);
    used.recordUse(brief);
    brief.close();
    elsewhere(() -> graphs.beginCapture(captured));
    block.close();
    used.close();
    try (Allocation next = blocks.allocate(MIB, stream)) {
      assertNotEquals(address, next.getAddress(), "its stream may still use it");
      write(stream, next.getAddress(), MIB);
    }
    blocks.trim(0);
    elsewhere(() -> graphs.endCapture(captured).close());
    blocks.trim(0);
    blocks.close();
    assertEquals(0, blocks.getStatistics().reserved().current());
  }

  @Test
  @DisplayName("buffers, page-locked ones and workspaces of closed streams disturb it as little")
  void closedStreamsAndForeignCapture() {
    BufferPool buffers = BufferPool.create(allocator);
    PinnedPool pinned = PinnedPool.create(device);
    WorkspacePool workspaces = WorkspacePool.create(allocator);
    SimStream brief = device.createStream();
    TypedBuffer buffer = buffers.acquire(ElementType.INT8, MIB, stream);
    PooledPinnedBuffer host = pinned.acquire(MIB);
    WorkspaceLease lease = workspaces.acquire(MIB, brief);
    stream.synchronize();
    write(brief, lease.getAddress(), MIB);
    host.copyToDevice(buffer.getAddress(), brief);
    buffer.recordUse(brief);
    brief.close();
    elsewhere(() -> graphs.beginCapture(captured));
    buffer.close();
    host.close();
    lease.close();
    try (TypedBuffer next = buffers.acquire(ElementType.INT8, MIB, stream);
        PooledPinnedBuffer other = pinned.acquire(MIB)) {
      other.getBytes().put(0, (byte) 1);
      write(stream, next.getAddress(), MIB);
    }
    buffers.emptyCache();
    pinned.trim(0);
    elsewhere(() -> graphs.endCapture(captured).close());
    try (WorkspaceLease next = workspaces.acquire(MIB, stream)) {
      write(stream, next.getAddress(), MIB);
    }
    buffers.close();
    pinned.close();
    workspaces.close();
    assertEquals(0, pinned.getLockedBytes());
  }

  // ---- (d) page-locked memory taken inside a capture ----

  @Test
  @DisplayName("page-locked memory can be taken and given back by the thread that captures")
  void pinnedTakenInCapture() {
    PinnedPool pool = PinnedPool.create(device);
    graphs.beginCapture(captured);
    pool.acquire(MIB).close();
    pool.trim(0);
    assertEquals(0, pool.getLockedBytes());
    graphs.endCapture(captured).close();
    pool.close();
  }

  /** An allocator that knows of captures what every one does. */
  enum Kind {
    DIRECT {
      @Override
      Allocator create(Device device) {
        return DirectAllocator.builder(device).build();
      }
    },
    STREAM_ORDERED {
      @Override
      Allocator create(Device device) {
        return StreamOrderedPool.builder(device).build();
      }
    },
    DRIVER_POOL {
      @Override
      Allocator create(Device device) {
        return DriverPoolAllocator.builder(device).build();
      }
    };

    abstract Allocator create(Device device);
  }
}
