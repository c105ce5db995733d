package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.GIB;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.support.Stats;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("41.5 One buffer at a time, each a little larger than the one before,")
class GrowingSizesTest {
  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.builder("large").memory(256 * GIB).build())
          .bytes(false)
          .build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream stream = device.createStream();
  private final Allocator allocator = DirectAllocator.builder(device).build();

  @AfterEach
  void endWithNothingLeft() {
    allocator.close();
    stream.close();
    assertEquals(List.of(), backend.getLeaks());
    assertEquals(List.of(), backend.getHazards());
    backend.close();
  }

  /**
   * Takes and closes sizes up to a largest; what is kept stays within twice the largest and 64 MiB.
   */
  private static void grow(LongConsumer takeAndClose, LongSupplier kept) {
    grow(4 * GIB, 37 * MIB + 513, takeAndClose, kept);
  }

  private static void grow(long most, long step, LongConsumer takeAndClose, LongSupplier kept) {
    for (long bytes = 7 * MIB; bytes < most; bytes += step) {
      takeAndClose.accept(bytes);
      long bound = 2 * roundedUp(bytes) + 64 * MIB;
      assertTrue(
          kept.getAsLong() <= bound,
          "kept "
              + ByteSize.format(kept.getAsLong())
              + " after one of "
              + ByteSize.format(bytes)
              + ", at most "
              + ByteSize.format(bound));
    }
  }

  /** The largest class of any pool for a size: the next power of two. */
  private static long roundedUp(long bytes) {
    return Long.highestOneBit(bytes - 1) << 1;
  }

  @Test
  @DisplayName("keep a buffer pool within twice the peak and 64 MiB")
  void buffers() {
    BufferPool pool = BufferPool.create(allocator);
    grow(
        bytes -> pool.acquire(ElementType.INT8, bytes, stream).close(),
        () -> pool.getCachedBytes(0));
    pool.close();
  }

  @Test
  @DisplayName("keep a pool of page-locked buffers within twice the peak and 64 MiB")
  void pinned() {
    PinnedPool pool = PinnedPool.create(device);
    // Page-locked memory of the simulator is the JVM's.
    grow(60 * MIB, 3 * MIB + 513, bytes -> pool.acquire(bytes).close(), pool::getLockedBytes);
    pool.close();
  }

  @Test
  @DisplayName("keep a workspace pool within twice the peak and 64 MiB, whatever its budget")
  void workspaces() {
    WorkspacePool pool = WorkspacePool.builder(allocator).byteBudget(Long.MAX_VALUE).build();
    grow(bytes -> pool.acquire(bytes, stream).close(), pool::getFreeBytes);
    pool.close();
  }

  @Test
  @DisplayName("keep a stream-ordered pool within twice the peak and 64 MiB")
  void streamOrdered() {
    StreamOrderedPool pool = StreamOrderedPool.builder(device).build();
    grow(
        bytes -> pool.allocate(bytes, stream).close(),
        () -> pool.getStatistics().reserved().current());
    pool.close();
  }

  @Test
  @DisplayName("or many at once: the bound follows the peak of what is live, and never overflows")
  void bound() {
    assertEquals(Stats.ALLOWANCE, Stats.growthBound(0));
    assertEquals(2000 + Stats.ALLOWANCE, Stats.growthBound(1000));
    assertEquals(Long.MAX_VALUE, Stats.growthBound(Long.MAX_VALUE / 2));
  }
}
