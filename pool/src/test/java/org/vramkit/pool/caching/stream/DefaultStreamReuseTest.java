package org.vramkit.pool.caching.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.StreamKind;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Memory of the legacy default stream, and of those that block it")
class DefaultStreamReuseTest {
  private static final int BYTES = 4096;

  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream base = device.getDefaultStream();
  private final SimStream blocking = device.createStream(StreamKind.BLOCKING);
  private final SimStream second = device.createStream(StreamKind.BLOCKING);
  private final SimStream free = device.createStream();

  @AfterEach
  void close() {
    backend.close();
  }

  private static void write(SimStream stream, Allocation block) {
    stream.launch(SimKernel.named("write").writes(block.getAddress(), BYTES).build());
  }

  /** Rounds in which a block of one stream is used by another, closed, and asked for again. */
  private List<HazardCode> rounds(VirtualMemoryUse use, SimStream owner, SimStream user) {
    try (CachingAllocator allocator = CachingAllocator.builder(device).virtualMemory(use).build()) {
      for (int i = 0; i < 3; i++) {
        try (Allocation block = allocator.allocate(BYTES, owner)) {
          write(owner, block);
          if (!owner.getKind().equals(user.getKind())) {
            owner.synchronize();
          }
          write(user, block);
        }
      }
      // The end of the allocator waits for the owner, and that does not wait for another stream.
      user.synchronize();
    }
    return backend.getHazards().stream().map(HazardReport::code).toList();
  }

  @OnBothMemories
  @DisplayName("A block of the default stream may be used by a blocking one, unrecorded")
  void usedByBlocking(VirtualMemoryUse use) {
    assertEquals(List.of(), rounds(use, base, blocking));
  }

  @OnBothMemories
  @DisplayName("A block of a blocking stream may be used by the default one, unrecorded")
  void usedByDefault(VirtualMemoryUse use) {
    assertEquals(List.of(), rounds(use, blocking, base));
  }

  @OnBothMemories
  @DisplayName("The use by a stream that does not block has to be recorded")
  void usedByOther(VirtualMemoryUse use) {
    assertEquals(List.of(HazardCode.EARLY_REUSE), rounds(use, base, free));
  }

  @OnBothMemories
  @DisplayName("A second blocking stream has the memory next, once the allocator knows of an order")
  void handedOn(VirtualMemoryUse use) {
    try (CachingAllocator allocator = CachingAllocator.builder(device).virtualMemory(use).build()) {
      for (SimStream each : List.of(blocking, base, second, base, blocking)) {
        try (Allocation block = allocator.allocate(BYTES, each)) {
          write(each, block);
          write(base, block);
        }
      }
    }
    assertEquals(List.of(), backend.getHazards());
  }
}
