package org.vramkit.pool.caching.stream;

import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimGate;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

/** The use of a block that was closed while its stream could not be marked. */
@DisplayName("17.3 A use that could not be marked")
class UnmarkedUsesTest {
  /** Two blocks whose close waits for a stream, of which the first close cannot mark it. */
  private static void heldUpBy(Sandbox box, SimStream side, Allocation first, Runnable closing)
      throws Exception {
    Allocation second = box.allocate(40 * MIB);
    box.busy(side, first, 1000);
    box.busy(side, second, 1000);
    first.recordUse(side);
    second.recordUse(side);
    closing.run();
    second.close();
    SimGate gate = box.backend.createGate("gate");
    side.waitFor(gate);
    CompletableFuture<Allocation> wanted =
        CompletableFuture.supplyAsync(() -> box.allocator.allocate(40 * MIB, box.stream));
    try {
      wanted.get(1, TimeUnit.HOURS);
    } finally {
      gate.open();
      wanted.get(1, TimeUnit.HOURS).close();
    }
  }

  @OnBothMemories
  @DisplayName("because the driver failed holds up no block that was closed after it")
  void failed(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.uncached(use, builder -> builder.limit(60 * MIB))) {
      Allocation first = box.allocate(2 * MIB);
      heldUpBy(
          box,
          box.newStream(),
          first,
          () -> {
            box.backend.getFaults().failNext("cuEventRecord", Fault.UNKNOWN);
            first.close();
          });
    }
  }

  @OnBothMemories
  @DisplayName("because its stream was captured holds up no block that was closed after it")
  @SuppressWarnings("try") // what is given up is not used
  void captured(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.uncached(use, builder -> builder.limit(60 * MIB));
        PrivatePool pool = box.allocator.createPool()) {
      SimStream side = box.newStream();
      Allocation first = box.allocate(2 * MIB);
      heldUpBy(
          box,
          side,
          first,
          () -> {
            try (PoolCapture capture = pool.capture(side)) {
              first.close();
            }
          });
    }
  }
}
