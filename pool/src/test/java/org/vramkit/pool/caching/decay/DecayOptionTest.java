package org.vramkit.pool.caching.decay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;
import static org.vramkit.pool.caching.decay.DecayWindow.ALL;
import static org.vramkit.pool.caching.decay.DecayWindow.allocateAndClose;
import static org.vramkit.pool.caching.decay.DecayWindow.reserved;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.internal.arena.Decay;

@DisplayName("The option decay")
class DecayOptionTest {
  private final DecayWindow window = new DecayWindow();

  @OnBothMemories
  @DisplayName(
      "works only where it is asked for: by default all is kept, and no driver call is made")
  void off(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.uncached(use, builder -> builder.clock(window::getNanos))) {
      allocateAndClose(box, 3);
      box.backend.getDriverCalls().reset();
      window.pass(100 * ALL);
      assertEquals(0, box.allocator.decay());
      assertEquals(0, box.backend.getDriverCalls().getTotal());
      assertEquals(120 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("takes seconds, also parts of one")
  void seconds() {
    try (Sandbox box =
        Sandbox.uncached(
            VirtualMemoryUse.ON, builder -> builder.set("decay", "0.5").clock(window::getNanos))) {
      allocateAndClose(box, 1);
      for (int i = 0; i < ALL; i++) {
        window.passNanos(500_000_000 / Decay.INTERVALS);
        box.allocator.decay();
      }
      assertEquals(0, reserved(box));
    }
  }

  @ParameterizedTest(name = "[{0}]")
  @ValueSource(strings = {"-1", "NaN", "1e30", "soon", ""})
  @DisplayName("rejects an invalid time and names it")
  void noTime(String text) {
    try (Sandbox box = Sandbox.standard()) {
      CachingAllocatorBuilder builder = CachingAllocator.builder(box.device);
      InvalidArgumentException e =
          assertThrows(InvalidArgumentException.class, () -> builder.set("decay", text));
      assertTrue(e.toString().contains("decay"), e.toString());
    }
  }
}
