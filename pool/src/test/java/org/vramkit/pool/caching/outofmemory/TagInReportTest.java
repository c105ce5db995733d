package org.vramkit.pool.caching.outofmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Owner;

@DisplayName("Tags of memory appear in the simulator's reports")
class TagInReportTest {
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);

  @Test
  @DisplayName("A use after the close names the tag of the block")
  void tagged() {
    assertEquals("weights", useAfterFree("weights").tag());
  }

  @Test
  @DisplayName("Twin: memory without a tag has none in its report")
  void untagged() {
    assertNull(useAfterFree(null).tag());
  }

  @Test
  @DisplayName("No tag at all is refused at once, and no memory is lost")
  @SuppressWarnings("NullAway") // a caller without null checks
  void missing() {
    try (CachingAllocator allocator = CachingAllocator.create(device)) {
      assertThrows(NullPointerException.class, () -> allocator.tagged(null));
    }
    backend.close();
  }

  @Test
  @DisplayName(
      "17.11 the block has no owner after its device is closed, and its close" + " makes no call")
  void closedBefore() {
    CachingAllocator allocator = CachingAllocator.create(device);
    SimStream stream = device.createStream();
    allocator.allocate(4096, stream).close();
    backend.close();
    assertThrows(ClosedException.class, () -> allocator.allocate(4096, stream));
    assertEquals(0, allocator.getStatistics().allocated().current());
    allocator.close();
    stream.close();
    assertEquals(List.of(), backend.getLeaks());
  }

  private Owner useAfterFree(@Nullable String tag) {
    try (SimStream stream = device.createStream();
        CachingAllocator allocator = CachingAllocator.create(device)) {
      Allocator user = tag == null ? allocator : allocator.tagged(tag);
      Allocation allocation = user.allocate(4096, stream);
      long address = allocation.getAddress();
      allocation.close();
      stream.launch(SimKernel.named("late").writes(address, 4096).build());
      List<HazardReport> reports = backend.getHazards();
      assertEquals(1, reports.size(), reports::toString);
      return Objects.requireNonNull(reports.get(0).memory());
    } finally {
      backend.close();
    }
  }
}
