package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;

/** Tests allocations that do not fit into memory. */
interface AllocatorLimitContract extends AllocatorContext {

  @Test
  @DisplayName("R9, 16 absurd sizes are out of memory, and the allocator is unchanged")
  default void absurdSizes() {
    try (Stream stream = getDevice().createStream();
        Allocation live = getAllocator().allocate(4096, stream)) {
      AllocatorStatistics before = getAllocator().getStatistics();
      for (long size : new long[] {1024 * ByteSize.TIB, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
        DeviceOutOfMemoryException error =
            assertThrows(
                DeviceOutOfMemoryException.class, () -> getAllocator().allocate(size, stream));
        assertEquals(size, error.getRequestedBytes());
      }
      AllocatorStatistics after = getAllocator().getStatistics();
      assertAll(
          () -> assertEquals(before.requested(), after.requested()),
          () -> assertEquals(before.allocated(), after.allocated()),
          () -> assertEquals(before.allocations(), after.allocations()),
          // A decorator may refuse a request itself, or retry it.
          () ->
              assertTrue(
                  isDecorator() || after.outOfMemories() == before.outOfMemories() + 3,
                  "out of memory " + after.outOfMemories() + " times"));
      stream.fill(live.getAddress(), (byte) 5, 4096);
      DeviceBytes.assertFilled(stream, live.getAddress(), 4096, (byte) 5, "live block");
    }
  }

  @Test
  @DisplayName("17 more than half of the memory fits once, and again after it was freed")
  default void memoryIsFinite() {
    long percent = getDevice().getMemoryInfo().freeBytes() / 100;
    try (Stream stream = getDevice().createStream()) {
      Allocation first = getAllocator().allocate(60 * percent, stream);
      assertThrows(
          DeviceOutOfMemoryException.class, () -> getAllocator().allocate(60 * percent, stream));
      first.close();
      // Different sizes, so that freed memory must be returned to the driver first.
      getAllocator().allocate(70 * percent, stream).close();
      getAllocator().allocate(55 * percent, stream).close();
    }
  }

  @Test
  @DisplayName("22 blocks that wait for another stream are waited for before memory runs out")
  default void pendingBlocksAreWaitedFor() {
    long bytes = getDevice().getMemoryInfo().freeBytes() / 100 * 40;
    try (Stream owner = getDevice().createStream();
        Stream side = getDevice().createStream();
        Event written = getDevice().createEvent()) {
      for (int round = 0; round < 10; round++) {
        Allocation block = getAllocator().allocate(bytes + round * ByteSize.MIB, owner);
        owner.fill(block.getAddress(), (byte) round, bytes);
        written.record(owner);
        side.waitFor(written);
        side.fill(block.getAddress(), (byte) -round, bytes);
        block.recordUse(side);
        block.close();
      }
      assertEquals(0, getAllocator().getStatistics().outOfMemories());
    }
  }
}
