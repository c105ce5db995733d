package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("How often the driver is asked before memory is taken")
class PatienceTest {
  private final Patience patience = new Patience(16);

  @Test
  @DisplayName("in proportion to the pages that could be saved, up to a bound, and not for none")
  void inProportion() {
    assertEquals(0, patience.questionsFor(0));
    assertEquals(16, patience.questionsFor(1));
    assertEquals(160, patience.questionsFor(10));
    assertEquals(64 * 16, patience.questionsFor(Integer.MAX_VALUE), "all that is saved up");
    assertEquals(1536, new Patience(1000).questionsFor(Integer.MAX_VALUE));
    assertEquals(0, new Patience(0).questionsFor(10));
  }

  @Test
  @DisplayName("but once, where asking has long been in vain")
  void inVain() {
    assertFalse(patience.isSpent());
    askInVain();
    assertTrue(patience.isSpent());
    assertEquals(1, patience.questionsFor(10));
    assertEquals(0, patience.questionsFor(0));
  }

  @Test
  @DisplayName("again as often as the pages that it saves pay for")
  void paidBack() {
    askInVain();
    patience.saved(2);
    assertFalse(patience.isSpent());
    assertEquals(32, patience.questionsFor(10));
    patience.saved(Integer.MAX_VALUE);
    assertEquals(160, patience.questionsFor(10));
    askInVain();
    assertEquals(1, patience.questionsFor(10));
  }

  @OnBothMemories
  @DisplayName(
      "of a stream that never drains: at most three times for each time that memory is taken")
  void neverDrains(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      SimStream slow = box.newStream();
      Allocation first = box.allocate(2 * Sandbox.MIB, slow);
      box.busy(slow, first, 1_000_000_000_000L);
      first.close();
      List<Allocation> all = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        all.add(box.allocate(4 * Sandbox.MIB));
      }
      long asked = box.backend.getDriverCalls().getCount("cuEventQuery");
      // Twice more where caches were searched before: see Heap.settle.
      assertTrue(asked <= 64 * 16 + 3 * 1000, asked + " questions");
      all.forEach(Allocation::close);
    }
  }

  private void askInVain() {
    for (int i = 0; i < 64 * 16; i++) {
      patience.asked(1);
    }
  }
}
