package org.vramkit.pool.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;

@DisplayName("42.28 The allocator over managed memory")
class ManagedAllocatorTest {
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final Stream stream = backend.getDevice(0).createStream();

  @AfterEach
  void nothingLeft() {
    stream.close();
    assertEquals(List.of(), backend.getLeaks());
    assertEquals(List.of(), backend.getHazards());
    backend.close();
  }

  @Test
  @DisplayName("hands out memory that work writes and the host reads at the same address")
  void shared() {
    try (ManagedAllocator allocator = ManagedAllocator.builder(backend.getDevice(0)).build();
        Allocation memory = allocator.allocate(1000, stream)) {
      stream.fill(memory.getAddress(), (byte) 7, 1000);
      stream.synchronize();
      assertEquals(memory.getAddress(), allocator.getMemory(memory).getAddress());
      assertEquals(7, allocator.getMemory(memory).getBytes(999, 1).get(0));
      assertEquals(1000, allocator.getStatistics().reserved().current());
    }
  }

  @Test
  @DisplayName("shows no memory of an allocation that is closed or empty")
  void notShown() {
    try (ManagedAllocator allocator = ManagedAllocator.builder(backend.getDevice(0)).build()) {
      Allocation closed = allocator.allocate(100, stream);
      closed.close();
      for (Allocation each : List.of(closed, allocator.allocate(0, stream))) {
        InvalidArgumentException refused =
            assertThrows(InvalidArgumentException.class, () -> allocator.getMemory(each));
        assertTrue(refused.toString().contains("pass an open allocation"));
      }
      assertEquals(0, allocator.getStatistics().reserved().current());
    }
  }

  @Test
  @DisplayName("keeps no buffer of a lost device")
  void lostDevice() {
    try (SimBackend lost = SimBackend.builder().build()) {
      Stream own = lost.getDevice(0).createStream();
      ManagedAllocator allocator = ManagedAllocator.builder(lost.getDevice(0)).build();
      Allocation memory = allocator.allocate(100, own);
      lost.getFaults().failNext("cuMemsetD8Async", Fault.FATAL);
      assertThrows(FatalDeviceException.class, () -> own.fill(memory.getAddress(), (byte) 1, 100));
      assertThrows(FatalDeviceException.class, memory::close);
      allocator.close();
      own.close();
      assertEquals(List.of(), lost.getLeaks());
    }
  }

  @Test
  @DisplayName("is refused at once where the device has no managed memory")
  void notSupported() {
    DeviceProfile without = DeviceProfile.builder("old").without(Capability.MANAGED_MEMORY).build();
    try (SimBackend other = SimBackend.builder().device(without).build()) {
      assertThrows(NotSupportedException.class, () -> ManagedAllocator.builder(other.getDevice(0)));
    }
  }
}
