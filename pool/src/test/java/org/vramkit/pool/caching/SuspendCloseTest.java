package org.vramkit.pool.caching;

import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.sim.SimStream;

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
}
