package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.Fault;

@DisplayName("Slack: how much is created while free pages could be moved")
class SlackBehavioursTest {
  private static final int PAGES_OF_A_HOLE = 10;

  /** Four blocks, two of them free with a live one between, so that they cannot be one. */
  private static Sandbox withHoles(UnaryOperator<CachingAllocatorBuilder> settings) {
    Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, settings);
    List<Allocation> blocks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      blocks.add(box.allocate(PAGES_OF_A_HOLE * 2 * MIB));
    }
    blocks.get(0).close();
    blocks.get(2).close();
    assertEquals(80 * MIB, reserved(box));
    return box;
  }

  private static long reserved(Sandbox box) {
    return box.statistics().reserved().current();
  }

  @Test
  @DisplayName("none by default: the pages of both holes move, and nothing is created")
  void tightest() {
    try (Sandbox box = withHoles(builder -> builder)) {
      box.allocate(40 * MIB);
      assertEquals(2 * PAGES_OF_A_HOLE, box.statistics().pagesMoved());
      assertEquals(80 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("half of the peak: pages are created up to that, and only then moved")
  void untilItIsUsed() {
    try (Sandbox box = withHoles(builder -> builder.slack(0.5))) {
      box.allocate(40 * MIB);
      assertEquals(0, box.statistics().pagesMoved());
      assertEquals(120 * MIB, reserved(box));
      box.allocate(40 * MIB);
      assertEquals(2 * PAGES_OF_A_HOLE, box.statistics().pagesMoved());
      assertEquals(120 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("a quarter: the half of a request is created, the rest is moved")
  void partly() {
    try (Sandbox box = withHoles(builder -> builder.slack(0.25))) {
      box.allocate(40 * MIB);
      assertEquals(PAGES_OF_A_HOLE, box.statistics().pagesMoved());
      assertEquals(100 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("none where the limit forbids it: pages move, and nobody runs out of memory")
  void limit() {
    try (Sandbox box = withHoles(builder -> builder.slack(1).limit(90 * MIB))) {
      box.allocate(40 * MIB);
      assertEquals(2 * PAGES_OF_A_HOLE, box.statistics().pagesMoved());
      assertEquals(80 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("none where the device is full: the driver refuses once, and pages move")
  void deviceFull() {
    try (Sandbox box = withHoles(builder -> builder.slack(1))) {
      box.backend.getFaults().failNext("cuMemCreate", Fault.OUT_OF_MEMORY);
      box.allocate(40 * MIB);
      assertEquals(2 * PAGES_OF_A_HOLE, box.statistics().pagesMoved());
      assertEquals(80 * MIB, reserved(box));
      assertEquals(0, box.statistics().retries());
    }
  }

  @Test
  @DisplayName("of all pools together: what one has taken is no room for another")
  void pools() {
    try (Sandbox box = withHoles(builder -> builder.slack(0.5))) {
      PrivatePool pool = box.allocator.createPool();
      Allocation other = pool.getAllocator().allocate(40 * MIB, box.stream);
      box.allocate(40 * MIB);
      assertEquals(2 * PAGES_OF_A_HOLE, box.statistics().pagesMoved());
      assertEquals(120 * MIB, reserved(box));
      other.close();
      pool.close();
    }
  }

  @Test
  @DisplayName("of nothing, once the peak that it is a share of is forgotten")
  void peakReset() {
    try (Sandbox box = withHoles(builder -> builder.slack(0.5))) {
      box.allocator.resetPeaks();
      box.allocate(40 * MIB);
      assertTrue(box.statistics().pagesMoved() > 0, "live 40 MiB, reserved 80 MiB");
      assertEquals(80 * MIB, reserved(box));
    }
  }

  @ParameterizedTest(name = "[{0}]")
  @ValueSource(strings = {"-0.1", "1.1", "NaN", "much"})
  @DisplayName("is a share from 0 to 1")
  void shares(String text) {
    try (Sandbox box = Sandbox.standard()) {
      CachingAllocatorBuilder builder = CachingAllocator.builder(box.device);
      InvalidArgumentException e =
          assertThrows(InvalidArgumentException.class, () -> builder.set("slack", text));
      assertTrue(e.toString().contains("slack"), e.toString());
    }
  }
}
