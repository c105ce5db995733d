package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.PoolHealth;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("17.16 Blocks that wait for other streams")
class PendingBlocksTest {
  @Test
  @DisplayName("are not lost if the JVM fails while they are added")
  void observerFails() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = backend.getDevice(0);
      StreamClocks clocks = new StreamClocks(device);
      PoolObserver observer = mock(PoolObserver.class);
      PendingBlocks pending =
          new PendingBlocks(new PoolHealth("a pool"), clocks, new UsageGauge(), observer);
      try (SimStream user = device.createStream()) {
        Block first = closed(1, user);
        Block second = closed(2, user);
        pending.add(first);
        pending.add(second);
        doThrow(new OutOfMemoryError("none left"))
            .doNothing()
            .when(observer)
            .freeCompleted(anyLong(), anyLong(), any(), any());
        assertThrows(OutOfMemoryError.class, pending::poll);
        assertFalse(pending.isEmpty(), "both are to be polled");
        assertTrue(pending.isAwaitable());
        assertTrue(pending.awaitCheapest(0), "nothing is to be waited for");
        assertSame(second, pending.poll());
        assertSame(first, second.nextCached);
        assertTrue(pending.isEmpty());
        assertEquals(0, pending.bytesByStream().size());
      }
      clocks.close();
      assertEquals(0, backend.getLeaks().size(), "leaks");
    }
  }

  /** A block of its own stream that another one uses. */
  private static Block closed(long address, SimStream user) {
    Block block = new Block(HeapChecks.region(1 << 20), address, 512);
    block.streamState = mock(StreamState.class);
    block.addUse(user);
    return block;
  }
}
