package org.vramkit.pool.caching.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.pool.caching.Sandbox.MIB;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@Tag("virtual-time")
@DisplayName("A growth while streams lag")
class PollsBeforeGrowthTest {
  private static final long SIZE = 60 * MIB;
  private static final long MICROSECOND = 1_000;

  @OnBothMemories
  @DisplayName("18.1 waits for memory that is free in a moment, also after many waits in vain")
  void waitsAgain(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      SimStream far = box.newStream();
      Allocation late = box.allocator.allocate(SIZE, far);
      box.busy(far, late, 1_000_000_000 * MICROSECOND);
      late.close();
      for (int i = 0; i < 100; i++) {
        box.allocate(SIZE);
      }
      SimStream near = box.newStream();
      Allocation soon = box.allocator.allocate(SIZE, near);
      box.busy(near, soon, 40 * MICROSECOND);
      soon.close();
      long reserved = box.statistics().reserved().current();
      box.allocate(SIZE);
      assertEquals(reserved, box.statistics().reserved().current(), "bytes reserved");
    }
  }
}
