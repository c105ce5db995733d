package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@Tag("virtual-time")
@DisplayName("Streams that are never done gather their blocks")
class StreamAddressRegionsTest {
  private static final long HOURS = 10_000_000_000_000L;
  private static final int BLOCKS = 8;
  private static final long SIZE = 4 * Sandbox.MIB;

  @ParameterizedTest(name = "{0} streams")
  @ValueSource(ints = {2, 16})
  @DisplayName("side by side, though they take them in turn")
  void sideBySide(int streams) {
    assertEquals(BLOCKS * SIZE, spanOfLast(streams));
  }

  @Test
  @DisplayName("two and two, where they are twice as many as there are regions")
  void sharedRegions() {
    assertEquals((2 * BLOCKS - 1) * SIZE, spanOfLast(32));
  }

  /**
   * Streams take blocks in turn, and stay busy, which their first questions tell.
   *
   * @return from where to where those of the last one lie, in bytes
   */
  private static long spanOfLast(int streams) {
    try (Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, Insides::impatient)) {
      List<SimStream> all = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        SimStream stream = box.newStream();
        Allocation first = box.allocate(Sandbox.MIB, stream);
        box.busy(stream, first, HOURS);
        first.close();
        all.add(stream);
      }
      LongSummaryStatistics ofLast = new LongSummaryStatistics();
      all.forEach(stream -> box.allocate(SIZE, stream));
      for (int i = 0; i < BLOCKS; i++) {
        for (SimStream stream : all) {
          long address = box.allocate(SIZE, stream).getAddress();
          if (stream.equals(all.get(streams - 1))) {
            ofLast.accept(address);
          }
        }
      }
      return ofLast.getMax() + SIZE - ofLast.getMin();
    }
  }
}
