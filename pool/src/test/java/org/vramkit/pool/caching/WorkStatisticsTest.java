package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("Figures of work")
class WorkStatisticsTest {
  @Test
  @Tag("virtual-time") // Elsewhere the work may be done before anybody waits.
  @DisplayName("22.4 count searches, times with the driver and waits, and begin anew when reset")
  void counted() {
    SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();
    try (CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).limit(8 * ByteSize.MIB).build();
        Stream own = backend.getDevice(0).createStream();
        Stream other = backend.getDevice(0).createStream()) {
      Allocation block = allocator.allocate(6 * ByteSize.MIB, own);
      assertEquals(1, allocator.getWorkStatistics().searches());
      assertTrue(allocator.getWorkStatistics().driverCalls() > 0);
      assertTrue(allocator.getWorkStatistics().driverNanos() > 0);
      assertEquals(0, allocator.getWorkStatistics().waits());
      own.synchronize();
      other.fill(block.getAddress(), (byte) 1, block.getSize());
      block.recordUse(other);
      block.close();
      allocator.allocate(6 * ByteSize.MIB, own).close();
      assertTrue(allocator.getWorkStatistics().waits() > 0);
      assertTrue(allocator.getWorkStatistics().waitNanos() > 0);
      assertEquals(2, allocator.getWorkStatistics().searches());
      allocator.allocate(6 * ByteSize.MIB, own).close();
      assertEquals(2, allocator.getWorkStatistics().searches(), "a hit searches for nothing");
      assertThrows(
          DeviceOutOfMemoryException.class, () -> allocator.allocate(9 * ByteSize.MIB).close());
      assertEquals(3, allocator.getWorkStatistics().searches());
      allocator.resetStatistics();
      assertEquals(new WorkStatistics(0, 0, 0, 0, 0), allocator.getWorkStatistics());
    }
    assertEquals(List.of(), backend.getHazards());
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }
}
