package org.vramkit.pool.caching.decay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.pool.caching.Sandbox.MIB;
import static org.vramkit.pool.caching.decay.DecayWindow.ALL;
import static org.vramkit.pool.caching.decay.DecayWindow.INTERVAL;
import static org.vramkit.pool.caching.decay.DecayWindow.allocateAndClose;
import static org.vramkit.pool.caching.decay.DecayWindow.reserved;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("Decay returns free memory:")
class DecayOccasionsTest {
  private final DecayWindow window = new DecayWindow();

  @OnBothMemories
  @DisplayName("at searches too, when the user calls nothing for it")
  void ridesOnSearches(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      allocateAndClose(box, 10);
      for (int i = 0; i < ALL; i++) {
        window.pass(1);
        allocateAndClose(box, 1);
      }
      assertEquals(40 * MIB, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("also from a program that searches rarely")
  void searchesRarely(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      allocateAndClose(box, 10);
      for (int i = 0; i < 6; i++) {
        window.pass(ALL);
        allocateAndClose(box, 1);
      }
      assertEquals(40 * MIB, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("also at an allocation from a private pool")
  void ridesOnPools(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      PrivatePool pool = box.allocator.createPool();
      allocateAndClose(box, 3);
      for (int i = 0; i < ALL; i++) {
        window.pass(1);
        pool.getAllocator().allocate(20 * MIB, box.stream).close();
      }
      assertEquals(20 * MIB, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("never by itself: without calls, and while all calls are hits, it stays")
  void noThreadOfItsOwn(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, window::decaying)) {
      allocateAndClose(box, 10);
      box.allocate(512).close();
      long before = reserved(box);
      for (int i = 0; i < 10 * ALL; i++) {
        window.pass(1);
        box.allocate(512).close();
      }
      assertEquals(before, reserved(box));
      assertEquals(0, box.statistics().decayedBytes());
    }
  }

  @OnBothMemories
  @DisplayName("at the first call after a silence, if it was closed before, also on busy streams")
  void firstCall(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, window::decaying)) {
      SimStream other = box.newStream();
      Allocation own = box.allocate(40 * MIB);
      Allocation shared = box.allocate(40 * MIB);
      box.busy(box.stream, own, INTERVAL);
      box.busy(other, shared, INTERVAL);
      shared.recordUse(other);
      box.allocate(MIB / 2).close();
      own.close();
      shared.close();
      box.device.synchronize();
      window.pass(10 * ALL);
      box.allocator.decay();
      assertEquals(0, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("at the first call after a silence, but not if it was closed within the silence")
  void closedInSilence(VirtualMemoryUse use) {
    for (boolean isShared : new boolean[] {true, false}) {
      try (Sandbox box = window.uncached(use)) {
        SimStream other = box.newStream();
        Allocation late = box.allocate(40 * MIB);
        if (isShared) {
          box.busy(other, late, INTERVAL);
          late.recordUse(other);
        }
        window.pass(10 * ALL);
        late.close();
        box.device.synchronize();
        window.pass(2);
        assertEquals(0, box.allocator.decay());
        window.pass(ALL);
        assertEquals(40 * MIB, box.allocator.decay());
      }
    }
  }
}
