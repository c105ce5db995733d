package org.vramkit.pool.streamordered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.api.units.ByteSize.GIB;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.error.DriverException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName(
    "StreamOrderedPool on a device of 8 GiB: blocks of other streams, figures, and the end")
class StreamOrderedPoolPressureTest {
  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream first = device.createStream();
  private final SimStream second = device.createStream();
  private final StreamOrderedPool pool = StreamOrderedPool.builder(device).build();

  /** Nothing is left, of events as well. */
  @AfterEach
  void close() {
    pool.close();
    first.close();
    second.close();
    assertEquals(List.of(), backend.getHazards());
    assertEquals(List.of(), backend.getLeaks());
  }

  private void work(SimStream stream, long address) {
    stream.launch(SimKernel.named("work").writes(address, 1024).taking(10_000_000).build());
  }

  private long allocateWorkAndClose(SimStream stream, long bytes) {
    try (Allocation memory = pool.allocate(bytes, stream)) {
      work(stream, memory.getAddress());
      return memory.getAddress();
    }
  }

  @Test
  @Tag("virtual-time")
  @DisplayName("31 a block taken from a busy stream is a steal and a hit, and costs no memory")
  void steals() {
    long address = allocateWorkAndClose(first, 6 * GIB);
    assertEquals(address, allocateWorkAndClose(second, 6 * GIB));
    AllocatorStatistics statistics = pool.getStatistics();
    assertEquals(1, statistics.steals());
    assertEquals(1, statistics.servedFromPool());
    assertEquals(1, statistics.misses());
    assertEquals(1, statistics.segments().current());
  }

  @Test
  @Tag("virtual-time")
  @DisplayName("31 a block that a stream cannot wait for stays cached, and serves later")
  void failingSteal() {
    long address = allocateWorkAndClose(first, 6 * GIB);
    backend.getFaults().failNext("cuStreamWaitEvent", Fault.UNKNOWN);
    assertThrows(DriverException.class, () -> pool.allocate(6 * GIB, second));
    assertEquals(6 * GIB, pool.getStatistics().cachedBytes());
    assertEquals(address, allocateWorkAndClose(first, 6 * GIB));
  }

  @Test
  @DisplayName("S3.3 the figures tell segments, free blocks and each stream's share, to the end")
  void figures() {
    Allocation held = pool.allocate(3000, first);
    pool.allocate(1000, first).close();
    pool.allocate(2000, second).close();
    AllocatorStatistics statistics = pool.getStatistics();
    assertEquals(3, statistics.segments().current());
    assertEquals(3, statistics.driverAllocations());
    assertEquals(2, statistics.freeBlocks());
    assertEquals(
        List.of(
            new StreamStatistics(name(first), 3000, 1000, 0),
            new StreamStatistics(name(second), 0, 2000, 0)),
        statistics.streams());
    pool.trimCache(0);
    statistics = pool.getStatistics();
    assertEquals(1, statistics.segments().current());
    assertEquals(2, statistics.driverFrees());
    assertEquals(0, statistics.freeBlocks());
    held.close();
  }

  private static String name(SimStream stream) {
    return "0x" + Long.toHexString(stream.getHandle());
  }

  @Test
  @DisplayName("S3.5 cached memory up to the threshold stays, to the byte")
  void exactThreshold() {
    pool.setReleaseThreshold(4096);
    Allocation one = pool.allocate(2048, first);
    Allocation two = pool.allocate(2048, first);
    Allocation three = pool.allocate(1, first);
    one.close();
    two.close();
    device.synchronize();
    assertEquals(4096, pool.getStatistics().cachedBytes());
    pool.trimCache(4096);
    assertEquals(4096, pool.getStatistics().cachedBytes());
    three.close();
    device.synchronize();
    pool.allocate(0, first).close();
    pool.allocate(1, first).close();
    assertEquals(0, pool.getStatistics().allocations().current());
    assertEquals(2049, pool.getStatistics().cachedBytes(), "the oldest has gone back");
  }
}
