package org.vramkit.pool.caching.privatepool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Graph;
import org.vramkit.api.error.DriverException;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PoolScope;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("A private pool that is closed before its last block")
class ClosedPoolTest {
  private static final int ROUNDS = 80;

  private static long reserved(Sandbox box) {
    return box.statistics().reserved().current();
  }

  @OnBothMemories
  @DisplayName("returns its memory with the close of the block, and is forgotten")
  void lastBlock(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      for (int i = 0; i < ROUNDS; i++) {
        PrivatePool pool = box.allocator.createPool();
        Allocation result = pool.getAllocator().allocate(100 * MIB, box.stream);
        pool.getAllocator().allocate(MIB, box.stream).close();
        pool.close();
        result.close();
        assertEquals(0, reserved(box), "round " + i);
      }
      assertEquals(1, Insides.arenas(box.allocator).size(), "the default pool alone");
      SnapshotChecks.assertAgrees(box.allocator);
    }
  }

  @OnBothMemories
  @DisplayName("returns each free part of its memory while other blocks are open")
  void parts(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      PrivatePool pool = box.allocator.createPool();
      Allocation large = pool.getAllocator().allocate(100 * MIB, box.stream);
      Allocation small = pool.getAllocator().allocate(1000, box.stream);
      pool.close();
      large.close();
      assertTrue(reserved(box) <= 2 * MIB, reserved(box) + " bytes");
      small.close();
      assertEquals(0, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("whose scope was open longer returns its memory with the scope or the block")
  void scope(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      for (boolean isBlockLast : new boolean[] {false, true}) {
        PrivatePool pool = box.allocator.createPool();
        PoolScope scope = pool.use();
        Allocation block = box.allocator.allocate(30 * MIB, box.stream);
        pool.close();
        if (isBlockLast) {
          scope.close();
          block.close();
        } else {
          block.close();
          scope.close();
        }
        assertEquals(0, reserved(box), "block last: " + isBlockLast);
      }
    }
  }

  @OnBothMemories
  @Tag("virtual-time")
  @DisplayName("waits for no stream in the close: the next search returns what streams have passed")
  void busyStream(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      SimStream other = box.newStream();
      PrivatePool pool = box.allocator.createPool();
      Allocation own = pool.getAllocator().allocate(30 * MIB, box.stream);
      Allocation used = pool.getAllocator().allocate(30 * MIB, box.stream);
      box.busy(box.stream, own, 50_000_000);
      box.busy(other, used, 50_000_000);
      used.recordUse(other);
      pool.close();
      used.close();
      own.close();
      assertTrue(reserved(box) >= 60 * MIB, reserved(box) + " bytes");
      assertTrue(!box.stream.isIdle() && !other.isIdle(), "no wait");
      box.stream.synchronize();
      other.synchronize();
      box.allocate(3 * MIB);
      assertTrue(reserved(box) <= 20 * MIB, reserved(box) + " bytes");
    }
  }

  @Test
  @DisplayName("that is suspended drops its backup and addresses with the block")
  void suspended() {
    try (Sandbox box = Sandbox.standard()) {
      PrivatePool pool = box.allocator.createPool();
      Allocation block = pool.getAllocator().allocate(10 * MIB, box.stream);
      box.stream.fill(block.getAddress(), (byte) 1, block.getSize());
      pool.suspend(Backup.HOST, box.stream);
      pool.close();
      block.close();
      assertEquals(0, box.statistics().suspendedBytes());
      assertEquals(1, Insides.arenas(box.allocator).size(), "the default pool alone");
    }
  }

  @OnBothMemories
  @DisplayName("and whose graph was open longer returns its memory with the graph or the block")
  void graph(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      for (boolean isBlockLast : new boolean[] {false, true}) {
        PrivatePool pool = box.allocator.createPool();
        PoolCapture capture = pool.capture(box.stream);
        Allocation block = pool.getAllocator().allocate(30 * MIB, box.stream);
        Graph graph = capture.end();
        pool.close();
        if (isBlockLast) {
          graph.close();
          block.close();
        } else {
          block.close();
          graph.close();
        }
        capture.close();
        assertEquals(0, reserved(box), "block last: " + isBlockLast);
      }
    }
  }

  @Test
  @DisplayName("keeps its memory for a later call if the driver fails in the close")
  void driverFails() {
    try (Sandbox box = Sandbox.standard()) {
      PrivatePool pool = box.allocator.createPool();
      Allocation block = pool.getAllocator().allocate(30 * MIB, box.stream);
      pool.close();
      box.backend.getFaults().failEvery("cuMemUnmap", Fault.UNKNOWN);
      assertThrows(DriverException.class, block::close);
      assertTrue(block.isClosed());
      box.backend.getFaults().clear();
      box.allocate(3 * MIB);
      assertTrue(reserved(box) <= 4 * MIB, reserved(box) + " bytes");
    }
  }
}
