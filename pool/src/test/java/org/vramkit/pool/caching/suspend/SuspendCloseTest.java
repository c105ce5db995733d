package org.vramkit.pool.caching.suspend;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DriverException;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName(
    "45.4 A private pool whose blocks another thread closes while it is suspended or resumed")
class SuspendCloseTest {
  private static final int CYCLES = 100;
  private static final int BLOCKS = 40;

  @Test
  @DisplayName("45.4 serves others from their memory afterwards, without a report of the checker")
  void closes() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Sandbox box = Sandbox.standard();
        PrivatePool pool = box.allocator.createPool()) {
      SimStream stream = box.newStream();
      for (int cycle = 0; cycle < CYCLES; cycle++) {
        List<Allocation> blocks = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
          Allocation block = pool.getAllocator().allocate((i + 1) * MIB / 4, stream);
          stream.fill(block.getAddress(), (byte) i, block.getSize());
          blocks.add(block);
        }
        Future<?> closing = other.submit(() -> blocks.forEach(Allocation::close));
        pool.suspend(Backup.HOST, box.stream);
        pool.resume(box.stream);
        closing.get();
      }
    } finally {
      other.shutdownNow();
    }
  }

  @Test
  @DisplayName("45.4 frees no memory that a failed resume has mapped without access")
  void closedInNextResume() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Sandbox box = Sandbox.standard();
        PrivatePool pool = box.allocator.createPool()) {
      Allocation block = SuspendTest.written(box, pool, 3 * MIB, (byte) 1);
      pool.suspend(Backup.HOST, box.stream);
      box.backend.getFaults().failNext("cuMemSetAccess", Fault.UNKNOWN);
      box.backend.getFaults().failEvery("cuMemUnmap", Fault.UNKNOWN);
      box.backend.getFaults().failEvery("cuStreamSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> pool.resume(box.stream));
      box.backend.getFaults().clear();
      // The next resume waits for this lock before its first driver call.
      ReentrantLock growth = Insides.arena(pool).heap.growth;
      Future<?> resuming;
      growth.lock();
      try {
        resuming = other.submit(() -> pool.resume(box.stream));
        while (!growth.hasQueuedThreads()) {
          Thread.onSpinWait();
        }
        block.close();
      } finally {
        growth.unlock();
      }
      resuming.get();
      Allocation next = SuspendTest.written(box, pool, 3 * MIB, (byte) 2);
      SuspendTest.assertHolds(box, next, (byte) 2);
      next.close();
    } finally {
      other.shutdownNow();
    }
  }
}
