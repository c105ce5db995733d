package org.vramkit.pool.driverpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("DriverPoolAllocator: what is reserved, and the end")
class DriverPoolFiguresTest {
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream stream = device.createStream();
  private final DriverPoolAllocator allocator =
      DriverPoolAllocator.builder(device).releaseThreshold(0).maximumBytes(0).build();

  @AfterEach
  void close() {
    allocator.close();
    stream.close();
    assertEquals(List.of(), backend.getHazards());
    assertEquals(List.of(), backend.getLeaks());
  }

  @Test
  @DisplayName("S3 memory that the driver reserves beyond live bytes is one free block, or none")
  void cached() {
    try (Allocation held = allocator.allocate(32 * MIB, stream)) {
      allocator.trim(0);
      assertEquals(0, allocator.getStatistics().freeBlocks());
      allocator.allocate(64 * MIB, stream).close();
      AllocatorStatistics statistics = allocator.getStatistics();
      assertEquals(64 * MIB, statistics.cachedBytes());
      assertEquals(1, statistics.freeBlocks());
      assertEquals(
          statistics.reserved().current(),
          statistics.allocated().current() + statistics.cachedBytes());
      assertEquals(held.getSize(), statistics.allocated().current());
    }
  }

  @Test
  @DisplayName("S3.4 a trim waits for the device, which counts, and gives back what is free")
  void trim() {
    allocator.allocate(MIB, stream).close();
    long before = allocator.getStatistics().synchronizations();
    allocator.trim(0);
    AllocatorStatistics statistics = allocator.getStatistics();
    assertEquals(before + 1, statistics.synchronizations());
    assertEquals(0, statistics.reserved().current());
    assertEquals(0, statistics.freeBlocks());
  }

  @Test
  @DisplayName("S3.6 a close waits for the frees that are under way, and reserves nothing any more")
  void closing() {
    allocator.allocate(MIB, stream).close();
    assertTrue(allocator.getStatistics().reserved().current() > 0);
    backend.getDriverCalls().reset();
    allocator.close();
    assertTrue(backend.getDriverCalls().getCount("cuCtxSynchronize") > 0);
    assertEquals(0, allocator.getStatistics().reserved().current());
    assertEquals(0, allocator.getStatistics().cachedBytes());
  }

  @Test
  @DisplayName("S3 a threshold and a maximum of less than 0 are refused")
  void negative() {
    DriverPoolAllocatorBuilder builder = DriverPoolAllocator.builder(device);
    assertThrows(InvalidArgumentException.class, () -> builder.releaseThreshold(-1));
    assertThrows(InvalidArgumentException.class, () -> builder.maximumBytes(-1));
  }
}
