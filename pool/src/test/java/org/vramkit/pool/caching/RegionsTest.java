package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.sim.SimStream;

@Tag("virtual-time")
@DisplayName("Streams that are never done gather their blocks")
class RegionsTest {
  private static final long HOURS = 10_000_000_000_000L;

  @ParameterizedTest(name = "{0} streams")
  @ValueSource(ints = {2, 16})
  @DisplayName("so that what one frees serves its own larger request")
  void largerRequest(int streams) {
    assertEquals(0, grownBy(streams));
  }

  @Test
  @DisplayName("two and two, where they are more than there are regions")
  void manyStreams() {
    long half = 16 * Sandbox.MIB;
    assertTrue(grownBy(32) >= half, "regions are not shared: has their number changed?");
  }

  /**
   * Streams in turn take blocks of 4 MiB; then the last one frees its eight and takes one of their
   * size in all.
   *
   * @return by how much that raised what is reserved
   */
  private long grownBy(int streams) {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, each -> each.growthPatience(0))) {
      List<SimStream> all = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        SimStream stream = box.newStream();
        Allocation first = box.allocate(2 * Sandbox.MIB, stream);
        box.busy(stream, first, HOURS);
        first.close();
        all.add(stream);
      }
      List<Allocation> ofLast = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        for (SimStream stream : all) {
          Allocation block = box.allocate(4 * Sandbox.MIB, stream);
          if (stream == all.get(streams - 1)) {
            ofLast.add(block);
          }
        }
      }
      ofLast.forEach(Allocation::close);
      long before = box.statistics().reserved().current();
      box.allocate(32 * Sandbox.MIB, all.get(streams - 1));
      return box.statistics().reserved().current() - before;
    }
  }
}
