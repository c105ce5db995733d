package org.vramkit.pool.caching.decay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;
import static org.vramkit.pool.caching.decay.DecayWindow.ALL;
import static org.vramkit.pool.caching.decay.DecayWindow.allocateAndClose;
import static org.vramkit.pool.caching.decay.DecayWindow.reserved;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.error.DriverException;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.driver.Fault;

@DisplayName("While decay returns free memory:")
class DecayFailuresTest {
  private final DecayWindow window = new DecayWindow();

  @OnBothMemories
  @DisplayName(
      "if the driver fails, its error is thrown, nothing is lost, and the rest" + " returns later")
  void driverFails(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      allocateAndClose(box, 3);
      window.decayFor(box, 1);
      window.pass(ALL);
      String call = use == VirtualMemoryUse.ON ? "cuMemUnmap" : "cuMemFree";
      box.backend.getFaults().failNext(call, Fault.UNKNOWN);
      assertThrows(DriverException.class, box.allocator::decay);
      SnapshotChecks.assertAgrees(box.allocator);
      assertEquals(120 * MIB, reserved(box));
      window.decayFor(box, 1);
      assertEquals(0, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("if the driver fails halfway, memory returned before counts as returned")
  void driverFailsHalfway(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      allocateAndClose(box, 3);
      window.decayFor(box, 1);
      window.pass(ALL);
      String call = use == VirtualMemoryUse.ON ? "cuMemRelease" : "cuMemFree";
      box.backend.getFaults().failNth(call, 2, Fault.UNKNOWN);
      assertThrows(DriverException.class, box.allocator::decay);
      assertTrue(reserved(box) > 0 && reserved(box) < 120 * MIB, "halfway: " + reserved(box));
      assertEquals(120 * MIB - reserved(box), box.statistics().decayedBytes());
    }
  }
}
