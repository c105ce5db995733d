package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
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
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.error.CaptureException;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.decorator.GuardedAllocator;
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

@DisplayName("57.6 Beside a capture that began on another device")
@Tag("virtual-time")
class JoinedCaptureTest {
  private static final long LARGE = 5 * 1024 * MIB;

  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.SMALL_8GIB)
          .device(DeviceProfile.SMALL_8GIB)
          .build();
  private final SimDevice first = backend.getDevice(0);
  private final SimDevice device = backend.getDevice(1);
  private final Graphs graphs = device.getGraphs();
  private final SimStream origin = first.createStream();
  private final SimStream joined = device.createStream();
  private final SimStream beside = device.createStream();
  private final SimStream other = device.createStream();
  private final SimEvent fork = first.createEvent();
  private final SimEvent join = device.createEvent();

  /** Allocators below others, which do not close them. */
  private final List<Allocator> below = new ArrayList<>();

  /** Creates an allocator; one below it is added to a list. */
  private interface Kind extends BiFunction<Device, List<Allocator>, Allocator> {}

  static Stream<Kind> allocators() {
    return Stream.of(
        (device, below) -> CachingAllocator.create(device),
        (device, below) -> DirectAllocator.builder(device).build(),
        (device, below) -> DriverPoolAllocator.builder(device).build(),
        (device, below) -> StreamOrderedPool.builder(device).build(),
        (device, below) -> {
          below.add(CachingAllocator.create(device));
          return GuardedAllocator.over(below.get(0), 256);
        });
  }

  private void begin() {
    first.getGraphs().beginCapture(origin);
    fork.record(origin);
  }

  private void beginJoined() {
    begin();
    joined.waitFor(fork);
  }

  /** Ends the capture, which no call has invalidated. */
  private Graph end() {
    return first.getGraphs().endCapture(origin);
  }

  private Graph endJoined() {
    join.record(joined);
    origin.waitFor(join);
    return end();
  }

  private static void elsewhere(Runnable action) {
    CompletableFuture.runAsync(action).join();
  }

  @AfterEach
  void endWithNothingLeft() {
    below.forEach(Allocator::close);
    for (AutoCloseable each : List.<AutoCloseable>of(origin, joined, beside, other, fork, join)) {
      try {
        each.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    String seed = "seed " + backend.getSeed();
    assertFalse(graphs.isAnyCaptured() || graphs.hasOpenGraphs(), seed);
    assertEquals(List.of(), backend.getHazards(), seed);
    assertEquals(List.of(), backend.getLeaks(), seed);
    backend.close();
  }

  // ---- a stream of this device has joined ----

  @Test
  @DisplayName("the device of a stream that joined is captured until the end, and then has a graph")
  void known() {
    begin();
    assertFalse(graphs.isAnyCaptured());
    joined.waitFor(fork);
    assertTrue(graphs.isAnyCaptured());
    assertFalse(graphs.isAnyCapturing(), "no capture began here");
    try (Graph graph = endJoined()) {
      assertFalse(graph.isClosed());
      assertFalse(graphs.isAnyCaptured());
      assertTrue(graphs.hasOpenGraphs() && first.getGraphs().hasOpenGraphs());
    }
    assertFalse(graphs.hasOpenGraphs() || first.getGraphs().hasOpenGraphs());
  }

  @Test
  @DisplayName("a join ends with a capture that fails, and with the stream where it began")
  void failed() {
    beginJoined();
    assertThrows(CaptureException.class, joined::isIdle);
    assertTrue(graphs.isAnyCaptured());
    assertThrows(CaptureException.class, this::end);
    assertFalse(graphs.isAnyCaptured());
    beginJoined();
    joined.close();
    assertTrue(graphs.isAnyCaptured(), "its work is still part of the capture");
    origin.close();
    assertFalse(graphs.isAnyCaptured());
  }

  @ParameterizedTest
  @MethodSource("allocators")
  @DisplayName("a stream that joined gets no memory that outlives the graph")
  void refused(Kind kind) {
    try (Allocator allocator = kind.apply(device, below)) {
      beginJoined();
      assertThrows(CaptureException.class, () -> allocator.allocate(MIB, joined));
      endJoined().close();
    }
  }

  @ParameterizedTest
  @MethodSource("allocators")
  @DisplayName("other streams get memory and free it, statistics and trims work, on any thread")
  void others(Kind kind) {
    try (Allocator allocator = kind.apply(device, below)) {
      beginJoined();
      Runnable traffic =
          () -> {
            for (int i = 0; i < 20; i++) {
              try (Allocation block = allocator.allocate((i + 1) * MIB, beside)) {
                beside.fill(block.getAddress(), (byte) 1, MIB);
              }
            }
            allocator.trim(0);
            assertEquals(0, allocator.getStatistics().requested().current());
          };
      traffic.run();
      elsewhere(traffic);
      endJoined().close();
    }
  }

  @ParameterizedTest
  @MethodSource("allocators")
  @DisplayName("memory whose stream joins is closed without an end of the capture")
  void closed(Kind kind) {
    try (Allocator allocator = kind.apply(device, below)) {
      Allocation block = allocator.allocate(MIB, joined);
      Allocation used = allocator.allocate(MIB, beside);
      beginJoined();
      joined.fill(block.getAddress(), (byte) 1, MIB);
      joined.fill(used.getAddress(), (byte) 1, MIB);
      used.recordUse(joined);
      block.close();
      used.close();
      allocator.trim(0);
      endJoined().close();
    }
  }

  @Test
  @DisplayName("memory that captured work uses is not given to others while the capture lasts")
  void used() {
    try (Allocator allocator = CachingAllocator.create(device)) {
      beginJoined();
      Allocation block = allocator.allocate(32 * MIB, beside);
      long address = block.getAddress();
      joined.fill(address, (byte) 1, MIB);
      block.recordUse(joined);
      block.close();
      try (Allocation next = allocator.allocate(32 * MIB, beside)) {
        assertNotEquals(address, next.getAddress(), "memory of the graph serves again");
      }
      endJoined().close();
      allocator.trim(0);
      assertEquals(0, allocator.getStatistics().reserved().current(), "held by nothing");
    }
  }

  @Test
  @DisplayName("memory that is closed in the capture is freed after the close of the graph")
  void usedByGraph() {
    try (Allocator allocator = DirectAllocator.builder(device).build()) {
      beginJoined();
      Allocation block = allocator.allocate(MIB, beside);
      joined.fill(block.getAddress(), (byte) 1, MIB);
      block.recordUse(joined);
      block.close();
      try (Graph graph = endJoined()) {
        allocator.trim(0);
        assertFalse(graph.isClosed());
        assertEquals(MIB, allocator.getStatistics().reserved().current(), "in use by the graph");
      }
      allocator.trim(0);
      assertEquals(0, allocator.getStatistics().reserved().current(), "held by nothing");
    }
  }

  @Test
  @DisplayName("an allocator that is created then refuses a joined stream too")
  void createdThen() {
    beginJoined();
    try (Allocator allocator = CachingAllocator.create(device)) {
      assertThrows(CaptureException.class, () -> allocator.allocate(MIB, joined));
      endJoined().close();
    }
  }

  @Test
  @DisplayName("what waits for the device is refused, and the capture goes on")
  void refusals() {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        PrivatePool pool = allocator.createPool();
        DriverPoolAllocator driver = DriverPoolAllocator.builder(device).build()) {
      beginJoined();
      assertThrows(CaptureException.class, () -> pool.suspend(Backup.HOST, beside));
      assertThrows(CaptureException.class, driver::close);
      endJoined().close();
    }
  }

  @Test
  @DisplayName("workspaces, buffers and page-locked buffers leave the capture valid")
  void leases() {
    try (Allocator allocator = CachingAllocator.create(device);
        WorkspacePool workspaces = WorkspacePool.create(allocator);
        BufferPool buffers = BufferPool.create(allocator);
        PinnedPool pinned = PinnedPool.create(device)) {
      beginJoined();
      assertThrows(CaptureException.class, () -> workspaces.acquire(MIB, joined));
      assertThrows(CaptureException.class, () -> buffers.acquire(ElementType.INT8, MIB, joined));
      for (int i = 0; i < 4; i++) {
        workspaces.acquire((i + 1) * MIB, beside).close();
        buffers.acquire(ElementType.INT8, (i + 1) * MIB, beside).close();
        pinned.acquire((i + 1) * MIB).close();
      }
      endJoined().close();
    }
  }

  // ---- no stream of this device has joined ----

  @ParameterizedTest
  @MethodSource("allocators")
  @DisplayName("a device without a joined stream gives up what it caches, on any thread")
  void givesUp(Kind kind) {
    try (Allocator allocator = kind.apply(device, below)) {
      begin();
      Runnable requests =
          () -> {
            for (SimStream each : List.of(beside, other, beside)) {
              try (Allocation block = allocator.allocate(LARGE, each)) {
                each.fill(block.getAddress(), (byte) 1, MIB);
              }
            }
          };
      requests.run();
      elsewhere(requests);
      allocator.trim(0);
      assertEquals(0, allocator.getStatistics().reserved().current());
      end().close();
    }
  }

  @Test
  @DisplayName("a device without a joined stream gives up what a closed stream had used")
  void closedStream() {
    try (Allocator allocator = CachingAllocator.create(device)) {
      begin();
      try (SimStream brief = device.createStream();
          Allocation block = allocator.allocate(LARGE, brief)) {
        brief.fill(block.getAddress(), (byte) 1, MIB);
      }
      allocator.allocate(LARGE + MIB, beside).close();
      end().close();
    }
  }

  @Test
  @DisplayName("a device without a joined stream asks its reclaimers, and suspends and resumes")
  void served() {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        PrivatePool pool = allocator.createPool()) {
      Allocation[] held = {allocator.allocate(LARGE, beside)};
      allocator.addReclaimer(
          bytes -> {
            held[0].close();
            return LARGE;
          });
      begin();
      allocator.allocate(LARGE, other).close();
      pool.getAllocator().allocate(MIB, beside).close();
      pool.suspend(Backup.HOST, beside);
      pool.resume(beside);
      end().close();
    }
  }

  @ParameterizedTest
  @MethodSource("allocators")
  @DisplayName("an allocator of a device without a joined stream is created and closed then")
  void createdAndClosed(Kind kind) {
    begin();
    try (Allocator allocator = kind.apply(device, below)) {
      allocator.allocate(MIB, beside).close();
    }
    end().close();
  }

  // ---- one device ----

  @ParameterizedTest
  @MethodSource("allocators")
  @DisplayName("the capturing thread closes memory of the same device, reads figures and trims")
  void ownDevice(Kind kind) {
    try (Allocator allocator = kind.apply(first, below);
        SimStream own = first.createStream()) {
      Allocation before = allocator.allocate(MIB, own);
      begin();
      Allocation then = allocator.allocate(MIB, own);
      before.close();
      then.close();
      allocator.trim(0);
      assertEquals(0, allocator.getStatistics().requested().current());
      end().close();
    }
  }
}
