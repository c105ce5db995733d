package org.vramkit.pool.caching.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.WorkStatistics;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;

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
      assertEquals(2, allocator.getWorkStatistics().searches(), "a cache hit searches for nothing");
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

  @Test
  @DisplayName(
      "42.14 tell cache hits, which search for nothing, from what was served from the pool")
  void cacheHits() {
    try (SimBackend backend =
            SimBackend.builder().device(DeviceProfile.H200).checker(CheckerOptions.OFF).build();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      Allocation first = allocator.allocate(1000);
      // A part of the same page: from the pool, but from no cache.
      Allocation second = allocator.allocate(1000);
      first.close();
      allocator.allocate(1000).close();
      allocator.allocateAligned(900, 512, backend.getDevice(0).getDefaultStream()).close();
      second.close();
      AllocatorStatistics figures = allocator.getStatistics();
      assertEquals(1, figures.misses());
      assertEquals(3, figures.servedFromPool());
      assertEquals(2, figures.cacheHits());
      assertEquals(2, allocator.getWorkStatistics().searches());
      allocator.resetStatistics();
      allocator.allocate(1000).close();
      assertEquals(1, allocator.getStatistics().cacheHits());
      assertEquals(1, allocator.getStatistics().servedFromPool());
    }
  }
}
