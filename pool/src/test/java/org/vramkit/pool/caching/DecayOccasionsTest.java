package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.pool.caching.DecayWindow.ALL;
import static org.vramkit.pool.caching.DecayWindow.allocateAndClose;
import static org.vramkit.pool.caching.DecayWindow.reserved;
import static org.vramkit.pool.caching.Sandbox.MIB;

import org.junit.jupiter.api.DisplayName;

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
}
