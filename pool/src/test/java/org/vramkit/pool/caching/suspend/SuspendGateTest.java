package org.vramkit.pool.caching.suspend;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DriverException;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.internal.arena.PoolRegistry;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("A private pool that is suspended, beside calls of other threads,")
class SuspendGateTest {
  private static final long WORK_NANOS = 50_000_000;

  @Test
  @Tag("virtual-time")
  @DisplayName("45.4 is not waited for by calls that do not wait, even if a wait for copies failed")
  void unknownCopies() {
    try (Sandbox box = Sandbox.standard()) {
      PrivatePool pool = box.allocator.createPool();
      Allocation block = SuspendTest.written(box, pool, 10 * MIB, (byte) 3);
      pool.suspend(Backup.HOST, box.stream);
      SimStream copying = box.newStream();
      copying.launch(SimKernel.named("work").taking(WORK_NANOS).build());
      box.backend.getFaults().failEvery("cuStreamSynchronize", Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> pool.resume(copying));
      box.backend.getFaults().clear();
      pool.close();
      block.close();
      PoolRegistry pools = Insides.pools(box.allocator);
      pools.drainEnded(0, /* waiting= */ false);
      assertTrue(box.backend.getTimeNanos() < WORK_NANOS, "waited");
      assertTrue(pool.isSuspended());
      pools.drainEnded(0, /* waiting= */ true);
      assertFalse(pool.isSuspended());
    }
  }
}
