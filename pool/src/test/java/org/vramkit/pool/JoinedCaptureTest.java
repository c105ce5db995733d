package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.CaptureException;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;

@DisplayName("57.6 While a stream of one device has joined the capture of another")
@Tag("virtual-time")
class JoinedCaptureTest {
  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.SMALL_8GIB)
          .device(DeviceProfile.SMALL_8GIB)
          .build();
  private final SimDevice first = backend.getDevice(0);
  private final SimDevice device = backend.getDevice(1);
  private final SimStream origin = first.createStream();
  private final SimStream joined = device.createStream();
  private final SimStream beside = device.createStream();
  private final SimEvent fork = first.createEvent();
  private final SimEvent join = device.createEvent();

  static Stream<Function<Device, Allocator>> allocators() {
    return Stream.of(
        CachingAllocator::create,
        device -> DirectAllocator.builder(device).build(),
        device -> DriverPoolAllocator.builder(device).build(),
        device -> StreamOrderedPool.builder(device).build());
  }

  private void begin() {
    first.getGraphs().beginCapture(origin);
    fork.record(origin);
    joined.waitFor(fork);
  }

  /** Ends the capture, which no call has invalidated. */
  private void end() {
    join.record(joined);
    origin.waitFor(join);
    first.getGraphs().endCapture(origin).close();
  }

  @AfterEach
  void endWithNothingLeft() {
    for (AutoCloseable each : List.<AutoCloseable>of(origin, joined, beside, fork, join)) {
      try {
        each.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
    backend.close();
  }

  @ParameterizedTest
  @MethodSource("allocators")
  @DisplayName("it gets no memory that outlives the graph")
  void refused(Function<Device, Allocator> create) {
    try (Allocator allocator = create.apply(device)) {
      begin();
      assertThrows(CaptureException.class, () -> allocator.allocate(MIB, joined));
      end();
    }
  }

  @ParameterizedTest
  @MethodSource("allocators")
  @DisplayName("its device's other streams get memory and free it, and the capture goes on")
  void others(Function<Device, Allocator> create) {
    try (Allocator allocator = create.apply(device)) {
      begin();
      for (int i = 0; i < 20; i++) {
        try (Allocation block = allocator.allocate((i + 1) * MIB, beside)) {
          beside.fill(block.getAddress(), (byte) 1, MIB);
        }
      }
      end();
    }
  }

  @Test
  @DisplayName("memory that it used is closed and not given to others before the graph has gone")
  void used() {
    try (Allocator allocator = CachingAllocator.create(device)) {
      begin();
      Allocation block = allocator.allocate(32 * MIB, beside);
      long address = block.getAddress();
      joined.fill(address, (byte) 1, MIB);
      block.recordUse(joined);
      block.close();
      try (Allocation other = allocator.allocate(32 * MIB, beside)) {
        assertEquals(false, other.getAddress() == address, "memory of the graph serves again");
      }
      end();
    }
  }

  @Test
  @DisplayName("an allocator that is created then refuses it too")
  void createdThen() {
    begin();
    try (Allocator allocator = CachingAllocator.create(device)) {
      assertThrows(CaptureException.class, () -> allocator.allocate(MIB, joined));
      end();
    }
  }

  @Test
  @DisplayName("workspaces, buffers and page-locked buffers leave the capture valid")
  void leases() {
    try (Allocator allocator = CachingAllocator.create(device);
        WorkspacePool workspaces = WorkspacePool.create(allocator);
        BufferPool buffers = BufferPool.create(allocator);
        PinnedPool pinned = PinnedPool.create(device)) {
      begin();
      assertThrows(CaptureException.class, () -> workspaces.acquire(MIB, joined));
      assertThrows(CaptureException.class, () -> buffers.acquire(ElementType.INT8, MIB, joined));
      for (int i = 0; i < 4; i++) {
        workspaces.acquire((i + 1) * MIB, beside).close();
        buffers.acquire(ElementType.INT8, (i + 1) * MIB, beside).close();
        pinned.acquire((i + 1) * MIB).close();
      }
      end();
    }
  }
}
