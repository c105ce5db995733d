package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.sim.SimGate;
import org.vramkit.sim.SimStream;

@DisplayName("17.26 What a private pool lends")
class LendingTest {
  private static final PrivatePoolOptions LENDING = PrivatePoolOptions.DEFAULT.withLending(true);

  @OnBothMemories
  @DisplayName("17.26 that is to be aligned is cut in the heap of the pool")
  void alignedLoan(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, builder -> builder.limit(40 * MIB))) {
      PrivatePool pool = box.allocator.createPool(LENDING);
      // So that the numbers of blocks mean others in the default pool.
      for (int i = 0; i < 20; i++) {
        box.allocate(1000);
      }
      pool.getAllocator().allocate(36 * MIB, box.stream).close();
      List<Allocation> held = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        for (long bytes : new long[] {4096, 5 * MIB}) {
          Allocation lent = box.allocator.allocateAligned(bytes, MIB, box.stream);
          assertEquals(0, lent.getAddress() % MIB);
          held.add(lent);
        }
      }
      SnapshotChecks.assertAgrees(box.allocator);
      held.forEach(Allocation::close);
      for (int i = 0; i < 20; i++) {
        held.add(box.allocate(4096));
        held.add(pool.getAllocator().allocate(4096, box.stream));
        held.add(pool.getAllocator().allocate(1000, box.stream));
      }
      held.forEach(Allocation::close);
      SnapshotChecks.assertAgrees(box.allocator);
      pool.getAllocator().allocate(36 * MIB, box.stream).close();
    }
  }

  @OnBothMemories
  @DisplayName("17.2 fails nobody who waits for it when the pool is closed")
  void closedLender(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.uncached(use, builder -> builder.limit(40 * MIB))) {
      PrivatePool pool = box.allocator.createPool(LENDING);
      SimStream side = box.newStream();
      Allocation waited = pool.getAllocator().allocate(40 * MIB, box.stream);
      SimGate gate = box.backend.createGate("gate");
      box.busy(side, waited, 1000);
      side.waitFor(gate);
      waited.recordUse(side);
      waited.close();
      CompletableFuture<Allocation> wanted =
          CompletableFuture.supplyAsync(() -> box.allocator.allocate(30 * MIB, box.stream));
      Thread.sleep(100);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(pool::close);
      Thread.sleep(100);
      gate.open();
      wanted.get(10, TimeUnit.SECONDS).close();
      closing.get(10, TimeUnit.SECONDS);
    }
  }
}
