package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.nio.ByteBuffer;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.TagScope;
import org.vramkit.api.allocator.Tags;
import org.vramkit.sim.SimStream;

@DisplayName("A private pool that is suspended")
class SuspendTest {
  @Test
  @DisplayName("45.4 gives its memory to others, and has its bytes again when it is resumed")
  void roundTrip() {
    try (Sandbox box = Sandbox.on(VirtualMemoryUse.ON);
        PrivatePool pool = box.allocator.createPool()) {
      Allocation large = pool.getAllocator().allocate(100 * MIB, box.stream);
      Allocation small = pool.getAllocator().allocate(1000, box.stream);
      box.stream.fill(large.getAddress(), (byte) 7, large.getSize());
      box.stream.fill(small.getAddress(), (byte) 9, small.getSize());
      SimStream copies = box.newStream();
      pool.suspend(Backup.HOST, copies);
      assertTrue(pool.isSuspended());
      assertEquals(0, pool.getAllocator().getStatistics().reserved().current());
      assertTrue(pool.getSuspendedBytes() >= 100 * MIB);
      pool.resume(copies);
      assertFalse(pool.isSuspended());
      assertEquals(0, pool.getSuspendedBytes());
      assertHolds(box, large, (byte) 7);
      assertHolds(box, small, (byte) 9);
      large.close();
      small.close();
    }
  }

  @Test
  @DisplayName("45.4 in part keeps what has other tags")
  @SuppressWarnings("try") // scopes are held, not used
  void byTag() {
    try (Sandbox box = Sandbox.on(VirtualMemoryUse.ON);
        PrivatePool pool = box.allocator.createPool()) {
      Allocation weights;
      Allocation cache;
      try (TagScope scope = Tags.open("weights")) {
        weights = pool.getAllocator().allocate(100 * MIB, box.stream);
      }
      try (TagScope scope = Tags.open("cache")) {
        cache = pool.getAllocator().allocate(60 * MIB, box.stream);
      }
      box.stream.fill(weights.getAddress(), (byte) 7, weights.getSize());
      box.stream.fill(cache.getAddress(), (byte) 8, cache.getSize());
      pool.suspend(Backup.NONE, box.stream, Set.of("cache"));
      assertEquals(60 * MIB, pool.getSuspendedBytes());
      assertHolds(box, weights, (byte) 7);
      pool.resume(box.stream);
      box.stream.fill(cache.getAddress(), (byte) 8, cache.getSize());
      assertHolds(box, cache, (byte) 8);
      weights.close();
      cache.close();
    }
  }

  private static void assertHolds(Sandbox box, Allocation block, byte value) {
    ByteBuffer bytes = ByteBuffer.allocate((int) block.getSize());
    box.stream.copyToHost(bytes, block.getAddress());
    byte[] expected = new byte[(int) block.getSize()];
    java.util.Arrays.fill(expected, value);
    assertArrayEquals(expected, bytes.array());
  }
}
