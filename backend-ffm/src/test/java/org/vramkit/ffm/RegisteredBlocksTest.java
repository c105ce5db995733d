package org.vramkit.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.SimulatedDriver;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.Strictness;

@DisplayName("An attached tool receives blocks, and their ends not too early")
class RegisteredBlocksTest {
  private final SimBackend sim =
      SimBackend.builder()
          .checker(CheckerOptions.DEFAULT.withStrictness(Strictness.LENIENT))
          .build();
  private final SimulatedDriver driver = new SimulatedDriver(sim);
  private final PlayedLibrary library = new PlayedLibrary(driver);
  private final PlayedTool tool = new PlayedTool(true, driver::currentOrdinal);
  private final CudaBackend backend =
      CudaBackend.open(
          "ffm",
          FfmDriver.of(library, false)
              .reportingTo(Objects.requireNonNull(NvtxMemory.attach(tool), "listens")));
  private final Device device = backend.getDevice(0);

  @AfterEach
  void nothingLeft() {
    backend.close();
    assertEquals(Map.of(), tool.regions, "what is told of");
    assertEquals(Map.of(), tool.heaps, "what the driver gave");
    assertEquals(List.of(), tool.faults);
    assertEquals(List.of(), library.failures);
    assertEquals(List.of(), sim.getHazards());
    assertEquals(List.of(), sim.getLeaks());
  }

  @Test
  @DisplayName("23.9 a closed block stays registered until its stream has passed")
  void closedWhileUsed() {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Stream stream = device.createStream()) {
      Allocation held = allocator.allocate(1000, stream);
      Allocation closed = allocator.allocate(3000, stream);
      long address = closed.getAddress();
      assertEquals(Map.of(held.getAddress(), 1000L, address, 3000L), tool.regions);
      stream.fill(address, (byte) 1, 3000);
      closed.close();
      assertTrue(tool.regions.containsKey(address), "the fill may still run");
      stream.synchronize();
      Allocation next = allocator.allocate(5000, stream);
      assertFalse(tool.regions.containsKey(address) && next.getAddress() != address);
      next.close();
      held.close();
      stream.synchronize();
    }
  }

  @Test
  @DisplayName("23.9 the tool receives the end of a block after the work of recorded streams")
  void otherUsers() {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Stream home = device.createStream();
        Stream other = device.createStream()) {
      Allocation block = allocator.allocate(4096, home);
      long address = block.getAddress();
      home.synchronize();
      other.fill(address, (byte) 1, 4096);
      block.recordUse(other);
      block.close();
      assertTrue(tool.regions.containsKey(address));
      home.synchronize();
      allocator.allocate(100, home).close();
      assertTrue(tool.regions.containsKey(address), "the other stream has not passed");
      other.synchronize();
      home.synchronize();
    }
  }

  @Test
  @DisplayName(
      "23.9 blocks of any size that are reused at once: no byte has two blocks, and all live"
          + " ones are registered")
  void many() {
    long seed = 23;
    Random random = new Random(seed);
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Stream stream = device.createStream()) {
      List<Allocation> live = new ArrayList<>();
      for (int i = 0; i < 3000; i++) {
        if (live.size() > 40 || (!live.isEmpty() && random.nextInt(3) == 0)) {
          live.remove(random.nextInt(live.size())).close();
        } else {
          Allocation made = allocator.allocate(1L + random.nextInt(1 << 16), stream);
          stream.fill(made.getAddress(), (byte) i, made.getSize());
          live.add(made);
        }
      }
      for (Allocation each : live) {
        assertEquals(each.getSize(), tool.regions.get(each.getAddress()), () -> "seed " + seed);
      }
      live.forEach(Allocation::close);
      stream.synchronize();
    }
  }

  @Test
  @DisplayName(
      "23.9 the rest of a block whose bytes are partly reused stays registered,"
          + " without a wait")
  void left() {
    MemoryObserver observer = device.getMemoryObserver();
    long base = device.getMemory().allocate(1 << 20);
    try (Stream stream = device.createStream()) {
      observer.allocated(base, 3000, stream);
      stream.fill(base, (byte) 1, 3000);
      observer.freed(base, stream);
      observer.allocated(base + 1000, 500, stream, "next");
      assertFalse(stream.isIdle(), "nobody has waited");
      assertEquals(
          Map.of(base, 1000L, base + 1000, 500L, base + 1500, 1500L), Map.copyOf(tool.regions));
      observer.freed(base + 1000, stream);
      stream.synchronize();
      observer.allocated(base + (1 << 19), 100, stream);
      assertEquals(Map.of(base + (1 << 19), 100L), tool.regions);
      observer.freed(base + (1 << 19), stream);
    }
    device.getMemory().free(base);
  }

  @Test
  @DisplayName(
      "23.9 a block whose stream was closed before stays registered until its"
          + " bytes have a new owner")
  void closedStream() {
    MemoryObserver observer = device.getMemoryObserver();
    long base = device.getMemory().allocate(1 << 20);
    Stream gone = device.createStream();
    observer.allocated(base, 1000, gone);
    gone.close();
    observer.freed(base, gone);
    assertEquals(Map.of(base, 1000L), tool.regions);
    try (Stream stream = device.createStream()) {
      observer.allocated(base, 1000, stream, "next");
      assertEquals(Map.of(base, "next"), tool.names);
      observer.freed(base, stream);
      stream.synchronize();
      observer.allocated(base + 4096, 10, stream);
      assertEquals(Map.of(base + 4096, 10L), tool.regions);
    }
    device.getMemory().free(base);
  }

  @Test
  @DisplayName(
      "23.9 blocks are handed out and closed while their thread captures, older ones being under"
          + " way")
  void whileCapturing() {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        PrivatePool pool = allocator.createPool();
        Stream stream = device.createStream();
        Stream other = device.createStream()) {
      Allocation older = allocator.allocate(5000, other);
      other.fill(older.getAddress(), (byte) 1, 5000);
      older.close();
      Graph graph;
      try (PoolCapture capture = pool.capture(stream)) {
        try (Allocation scratch = allocator.allocate(4096, stream)) {
          stream.fill(scratch.getAddress(), (byte) 2, 4096);
        }
        graph = capture.end();
      }
      graph.launch(stream);
      stream.synchronize();
      other.synchronize();
      graph.close();
    }
  }

  @Test
  @DisplayName("23.9 tags are names; memory that users take from the driver is not registered")
  void names() {
    MemoryObserver observer = device.getMemoryObserver();
    long address = device.getMemory().allocate(1 << 20);
    assertEquals(Map.of(), tool.heaps, "nobody handed out a block of it");
    observer.allocated(address + 512, 100, device.getDefaultStream(), "weights");
    assertEquals(Map.of(address, 1L << 20), tool.heaps);
    assertEquals(Map.of(address + 512, "weights"), tool.names);
    observer.freed(address + 512, device.getDefaultStream());
    device.getMemory().free(address);
  }

  @Test
  @DisplayName("23.9 nothing is reported without a tool, or to a tool without the extension")
  void notAttached() {
    assertSame(MemoryObserver.NONE, FfmDriver.of(library, false).getMemoryObserver());
    assertNull(NvtxMemory.attach(new PlayedTool(false, () -> 0)));
    assertNull(NvtxMemory.attach(name -> Optional.empty()));
  }

  @Test
  @DisplayName(
      "23.9 virtual memory is off while a tool receives blocks, because the tool"
          + " cannot check it")
  void noVirtualMemory() {
    assertFalse(device.supports(Capability.VIRTUAL_MEMORY));
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Allocation block = allocator.allocate(100)) {
      assertTrue(tool.heaps.floorKey(block.getAddress()) <= block.getAddress());
    }
  }
}
