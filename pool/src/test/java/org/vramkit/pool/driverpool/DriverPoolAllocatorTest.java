package org.vramkit.pool.driverpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.DriverPoolStatistics;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.pool.support.DriverStub;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.Fault;

@DisplayName("DriverPoolAllocator")
class DriverPoolAllocatorTest {
  private static final long ADDRESS = 1L << 20;
  private final DeviceOutOfMemoryException full =
      new DeviceOutOfMemoryException(
          1000, new DriverStatus(DriverStatus.OUT_OF_MEMORY, "FULL", "cuMemAllocFromPoolAsync"));

  private final DriverStub driver = new DriverStub();
  private final DriverPools pools = mock(DriverPools.class);
  private final DriverPool pool = mock(DriverPool.class);
  private final Stream stream = driver.newStream();
  private final Stream other = driver.newStream();

  @BeforeEach
  void makePool() {
    when(driver.device.getDriverPools()).thenReturn(pools);
    when(pools.create(anyLong())).thenReturn(pool);
    when(pool.allocate(anyLong(), any(Stream.class))).thenReturn(ADDRESS);
    when(pool.getStatistics()).thenReturn(new DriverPoolStatistics(0, 0, 0, 0));
  }

  private DriverPoolAllocator build() {
    when(driver.device.supports(Capability.DRIVER_POOL_ATTRIBUTES)).thenReturn(true);
    return DriverPoolAllocator.builder(driver.device).build();
  }

  @Test
  @DisplayName("S3.7 makes a pool with the options given, and refuses negative ones")
  void options() {
    when(driver.device.supports(Capability.DRIVER_POOL_ATTRIBUTES)).thenReturn(true);
    DriverPoolAllocatorBuilder builder = DriverPoolAllocator.builder(driver.device);
    assertThrows(InvalidArgumentException.class, () -> builder.maximumBytes(-1));
    assertThrows(InvalidArgumentException.class, () -> builder.releaseThreshold(-1));
    builder
        .maximumBytes(1 << 30)
        .releaseThreshold(4096)
        .reuse(DriverPoolReuse.OPPORTUNISTIC, false)
        .build();
    verify(pools).create(1 << 30);
    verify(pool).setReleaseThreshold(4096);
    verify(pool).setReuse(DriverPoolReuse.OPPORTUNISTIC, false);
  }

  @Test
  @DisplayName("S3 keeps all by default, where the driver would keep nothing")
  void defaultThreshold() {
    build();
    verify(pools).create(0);
    verify(pool).setReleaseThreshold(Long.MAX_VALUE);
  }

  @Test
  @DisplayName("does without attributes, and then counts what it allocated as reserved")
  void withoutAttributes() {
    DriverPoolAllocator allocator = DriverPoolAllocator.builder(driver.device).build();
    try (Allocation allocation = allocator.allocate(1000, stream)) {
      AllocatorStatistics statistics = allocator.getStatistics();
      assertEquals(allocation.getSize(), statistics.reserved().current());
      assertEquals(0, statistics.cachedBytes());
    }
    assertEquals(0, allocator.getStatistics().reserved().current());
    verify(pool, never()).setReleaseThreshold(anyLong());
    verify(pool, never()).getStatistics();
  }

  @Test
  @DisplayName("destroys its pool when an option is not supported")
  void unsupportedOption() {
    doThrow(new NotSupportedException("no attributes"))
        .when(pool)
        .setReuse(DriverPoolReuse.OPPORTUNISTIC, true);
    DriverPoolAllocatorBuilder builder =
        DriverPoolAllocator.builder(driver.device).reuse(DriverPoolReuse.OPPORTUNISTIC, true);
    assertThrows(NotSupportedException.class, builder::build);
    verify(pool).close();
  }

  @Test
  @DisplayName("S3.8 frees on the allocation's stream, after what recorded streams have queued")
  void freesInOrder() {
    Event event = mock(Event.class);
    when(driver.device.createEvent()).thenReturn(event);
    Allocation allocation = build().allocate(1000, stream);
    allocation.recordUse(other);
    allocation.recordUse(other);
    allocation.recordUse(stream);
    allocation.close();
    InOrder order = inOrder(event, stream, pool);
    order.verify(event).record(other);
    order.verify(stream).waitFor(event);
    order.verify(pool).free(ADDRESS, stream);
    verify(event, times(1)).record(any(Stream.class));
    verify(event).close();
    verify(stream, never()).synchronize();
  }

  @Test
  @DisplayName("R7 waits for the device and frees elsewhere when its stream was closed")
  void closedStream() {
    Stream defaultStream = driver.newStream();
    when(driver.device.getDefaultStream()).thenReturn(defaultStream);
    doThrow(new ClosedException("stream is closed")).when(pool).free(ADDRESS, stream);
    doThrow(new ClosedException("stream is closed")).when(stream).synchronize();
    build().allocate(1000, stream).close();
    InOrder order = inOrder(driver.device, pool);
    order.verify(driver.device).synchronize();
    order.verify(pool).free(ADDRESS, defaultStream);
  }

  @Test
  @DisplayName("S3 synchronises, trims and tries once more before it is out of memory")
  void retriesOnce() {
    when(pool.allocate(1000, stream)).thenThrow(full).thenReturn(ADDRESS);
    DriverPoolAllocator allocator = build();
    allocator.allocate(1000, stream).close();
    InOrder order = inOrder(driver.device, pool);
    order.verify(pool).allocate(1000, stream);
    order.verify(driver.device).synchronize();
    order.verify(pool).trim(0);
    order.verify(pool).allocate(1000, stream);
    assertEquals(1, allocator.getStatistics().retries());
    when(pool.allocate(1000, stream)).thenThrow(full);
    DeviceOutOfMemoryException error =
        assertThrows(DeviceOutOfMemoryException.class, () -> allocator.allocate(1000, stream));
    assertSame(full, error.getCause());
    verify(pool, times(4)).allocate(1000, stream);
  }

  @Test
  @DisplayName("S3 reports the driver's own figures, and what is idle as cached")
  void statistics() {
    DriverPoolAllocator allocator = build();
    try (Allocation allocation = allocator.allocate(1000, stream)) {
      when(pool.getStatistics()).thenReturn(new DriverPoolStatistics(1024, 1024, 4096, 8192));
      AllocatorStatistics held = allocator.getStatistics();
      assertEquals(4096, held.reserved().current());
      assertEquals(8192, held.reserved().peak());
      assertEquals(4096 - allocation.getSize(), held.cachedBytes());
      allocator.resetPeaks();
      assertEquals(4096, allocator.getStatistics().reserved().peak());
      when(pool.getStatistics()).thenReturn(new DriverPoolStatistics(1024, 1024, 4096, 9000));
      assertEquals(9000, allocator.getStatistics().reserved().peak());
    }
  }

  @Test
  @DisplayName("S3.6 destroys its pool on close, once and not while allocations live")
  void closes() {
    DriverPoolAllocator allocator = build();
    Allocation live = allocator.allocate(1000, stream);
    assertThrows(IllegalStateException.class, allocator::close);
    verify(pool, never()).close();
    live.close();
    allocator.close();
    allocator.close();
    verify(pool, times(1)).close();
  }

  @Test
  @DisplayName("S3.8 a failing destroy is reported once, and closing afterwards does nothing")
  void failingDestroy() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      DriverPoolAllocator allocator = DriverPoolAllocator.builder(backend.getDevice(0)).build();
      allocator.allocate(1000, backend.getDevice(0).getDefaultStream()).close();
      backend.getFaults().failNext("cuMemPoolDestroy", Fault.UNKNOWN);
      assertThrows(DriverException.class, allocator::close);
      long calls = backend.getDriverCalls().getTotal();
      allocator.close();
      assertEquals(calls, backend.getDriverCalls().getTotal());
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  @Test
  @DisplayName("S3.7, S3.6 a negative or unknown ordinal is an invalid device, by its number")
  void ordinals() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      for (int ordinal : new int[] {-1, 1}) {
        InvalidArgumentException e =
            assertThrows(InvalidArgumentException.class, () -> backend.getDevice(ordinal));
        assertTrue(e.toString().contains(Integer.toString(ordinal)), e.toString());
      }
    }
  }

  @Test
  @DisplayName("S3.9 a device without pools says what it lacks")
  void notSupported() {
    DeviceProfile plain =
        DeviceProfile.builder("plain")
            .from(DeviceProfile.SMALL_8GIB)
            .without(Capability.DRIVER_POOLS)
            .build();
    try (SimBackend backend = SimBackend.builder().device(plain).build()) {
      NotSupportedException e =
          assertThrows(
              NotSupportedException.class,
              () -> DriverPoolAllocator.builder(backend.getDevice(0)).build());
      assertTrue(e.toString().contains("DRIVER_POOLS"), e.toString());
    }
  }
}
