package org.vramkit.pool.caching.suspend;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("A private pool that is suspended")
class SuspendTest {
  @Test
  @DisplayName("45.4 gives its memory to others, and has its bytes again when it is resumed")
  void roundTrip() {
    try (Sandbox box = Sandbox.with(builder -> builder.limit(120 * MIB));
        PrivatePool pool = box.allocator.createPool()) {
      Allocation large = written(box, pool, 100 * MIB, (byte) 7);
      Allocation small = written(box, pool, 1000, (byte) 9);
      long addresses = large.getAddress() ^ small.getAddress();
      SimStream copies = box.newStream();
      pool.suspend(Backup.HOST, copies);
      assertTrue(pool.isSuspended());
      assertEquals(0, reserved(pool));
      assertEquals(2, pool.getAllocator().getStatistics().allocations().current());
      assertTrue(pool.getSuspendedBytes() >= 100 * MIB);
      assertEquals(pool.getSuspendedBytes(), box.statistics().suspendedBytes());
      assertEquals(pool.getSuspendedBytes(), pool.getAllocator().getStatistics().suspendedBytes());
      assertTrue(box.allocator.getSummary().contains("suspended"), box.allocator.getSummary());
      box.allocator.allocate(110 * MIB, box.stream).close();
      pool.resume(copies);
      assertFalse(pool.isSuspended());
      assertEquals(0, pool.getSuspendedBytes());
      assertEquals(0, box.statistics().suspendedBytes());
      assertEquals(addresses, large.getAddress() ^ small.getAddress());
      assertHolds(box, large, (byte) 7);
      assertHolds(box, small, (byte) 9);
      large.close();
      small.close();
    }
  }

  @Test
  @DisplayName("45.4 waits for queued work, and copies behind it on whatever stream")
  void queuedWork() {
    try (Sandbox box = Sandbox.standard();
        PrivatePool pool = box.allocator.createPool()) {
      Allocation block = written(box, pool, 10 * MIB, (byte) 1);
      SimStream side = box.newStream();
      box.busy(side, block, 50_000_000);
      side.fill(block.getAddress(), (byte) 2, block.getSize());
      block.recordUse(side);
      pool.suspend(Backup.HOST, box.newStream());
      pool.resume(box.newStream());
      assertHolds(box, block, (byte) 2);
      block.close();
    }
  }

  @Test
  @DisplayName("45.4 serves nothing, and again from its caches when it is resumed")
  void serving() {
    try (Sandbox box = Sandbox.standard();
        PrivatePool pool = box.allocator.createPool()) {
      Allocation block = written(box, pool, 10 * MIB, (byte) 3);
      pool.getAllocator().allocate(MIB, box.stream).close();
      pool.suspend(Backup.HOST, box.stream);
      assertRefused(() -> pool.getAllocator().allocate(MIB, box.stream));
      assertRefused(() -> pool.getAllocator().allocate(MIB, box.newStream()));
      assertRefused(() -> pool.capture(box.newStream()));
      try (PoolScope scope = pool.use()) {
        assertFalse(Insides.isClosed(scope));
        assertRefused(() -> box.allocator.allocate(5, box.stream));
      }
      assertEquals(0, reserved(pool));
      assertEquals(1, pool.getAllocator().getStatistics().allocations().current());
      pool.resume(box.stream);
      pool.getAllocator().allocate(MIB, box.stream).close();
      long hits = pool.getAllocator().getStatistics().cacheHits();
      pool.getAllocator().allocate(MIB, box.stream).close();
      assertEquals(hits + 1, pool.getAllocator().getStatistics().cacheHits());
      assertHolds(box, block, (byte) 3);
      block.close();
    }
  }

  private static void assertRefused(Executable call) {
    String message = String.valueOf(assertThrows(IllegalStateException.class, call).getMessage());
    assertTrue(message.endsWith(": it is suspended; resume it first"), message);
  }

  @Test
  @DisplayName("45.4 frees what is closed meanwhile, and brings nothing back for it")
  void closedMeanwhile() {
    try (Sandbox box = Sandbox.standard();
        PrivatePool pool = box.allocator.createPool()) {
      Allocation kept = written(box, pool, 10 * MIB, (byte) 3);
      Allocation large = written(box, pool, 50 * MIB, (byte) 4);
      Allocation small = written(box, pool, 700, (byte) 5);
      SimStream side = box.newStream();
      pool.suspend(Backup.HOST, box.stream);
      large.close();
      small.recordUse(side);
      small.close();
      assertEquals(1, pool.getAllocator().getStatistics().allocations().current());
      pool.resume(box.stream);
      assertHolds(box, kept, (byte) 3);
      assertTrue(reserved(pool) < 20 * MIB, () -> reserved(pool) + " bytes");
      Allocation again = written(box, pool, 50 * MIB, (byte) 6);
      assertHolds(box, kept, (byte) 3);
      again.close();
      kept.close();
    }
  }

  @Test
  @DisplayName("45.4 and closed keeps its open blocks, which can be resumed")
  void closedPool() {
    try (Sandbox box = Sandbox.standard()) {
      PrivatePool pool = box.allocator.createPool();
      Allocation block = written(box, pool, 10 * MIB, (byte) 3);
      Allocation other = written(box, pool, 10 * MIB, (byte) 3);
      pool.suspend(Backup.HOST, box.stream);
      pool.close();
      other.close();
      pool.resume(box.stream);
      assertHolds(box, block, (byte) 3);
      block.close();
      box.allocator.trim(0);
      assertEquals(0, box.statistics().reserved().current());
    }
  }

  @Test
  @DisplayName("45.4 and closed releases everything when its last block is closed")
  void closedAndEmptied() {
    try (Sandbox box = Sandbox.standard()) {
      PrivatePool pool = box.allocator.createPool();
      Allocation block = written(box, pool, 10 * MIB, (byte) 3);
      pool.suspend(Backup.HOST, box.stream);
      pool.close();
      block.close();
      box.allocator.trim(0);
    }
  }

  @Test
  @DisplayName("45.4 keeps at most 1 % of its memory, of many blocks on several streams")
  void kept() {
    try (Sandbox box = Sandbox.standard();
        PrivatePool pool = box.allocator.createPool()) {
      List<Allocation> open = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        SimStream stream = i % 50 == 0 ? box.newStream() : box.stream;
        Allocation block = pool.getAllocator().allocate(1 + 7919L * (i * i % 701), stream);
        stream.fill(block.getAddress(), (byte) i, block.getSize());
        if (i % 3 == 0) {
          block.close();
        } else {
          open.add(block);
        }
      }
      long before = reserved(pool);
      pool.suspend(Backup.HOST, box.stream);
      assertTrue(reserved(pool) <= before / 100, () -> reserved(pool) + " of " + before);
      pool.resume(box.stream);
      open.forEach(Allocation::close);
    }
  }

  @Test
  @DisplayName("45.4 gives the host's memory back when it is trimmed or has ended")
  void hostMemory() {
    try (Sandbox box = Sandbox.standard();
        PrivatePool pool = box.allocator.createPool()) {
      Allocation block = written(box, pool, 10 * MIB, (byte) 3);
      pool.suspend(Backup.HOST, box.stream);
      pool.getAllocator().trim(0);
      pool.resume(box.stream);
      assertHolds(box, block, (byte) 3);
      assertEquals(0, hostFrees(box));
      pool.suspend(Backup.HOST, box.stream);
      pool.resume(box.stream);
      pool.getAllocator().trim(0);
      assertEquals(1, hostFrees(box));
      block.close();
    }
  }

  private static long hostFrees(Sandbox box) {
    return box.backend.getDriverCalls().getCount("cuMemFreeHost");
  }

  @Test
  @DisplayName("45.4 has the simulator report work on its memory as SUSPENDED_ACCESS")
  void touched() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimStream stream = backend.getDevice(0).createStream();
      CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
      PrivatePool pool = allocator.createPool();
      Allocation block = pool.getAllocator().allocate(4096, stream);
      pool.suspend(Backup.NONE, stream);
      stream.launch(SimKernel.named("late").writes(block.getAddress(), 64).build());
      assertEquals(
          List.of(HazardCode.SUSPENDED_ACCESS),
          backend.getHazards().stream().map(HazardReport::code).toList());
    }
  }

  // ---- blocks ----

  private static long reserved(PrivatePool pool) {
    return pool.getAllocator().getStatistics().reserved().current();
  }

  static Allocation written(Sandbox box, PrivatePool pool, long bytes, byte value) {
    Allocation block = pool.getAllocator().allocate(bytes, box.stream);
    box.stream.fill(block.getAddress(), value, bytes);
    return block;
  }

  static void assertHolds(Sandbox box, Allocation block, byte value) {
    ByteBuffer bytes = ByteBuffer.allocate((int) block.getSize());
    box.stream.copyToHost(bytes, block.getAddress());
    byte[] expected = new byte[(int) block.getSize()];
    Arrays.fill(expected, value);
    assertArrayEquals(expected, bytes.array());
  }
}
