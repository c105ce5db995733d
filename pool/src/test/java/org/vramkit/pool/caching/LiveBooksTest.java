package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What the books of a stripe claim ahead of the figure that all threads share")
class LiveBooksTest {
  private static final long CHUNK = 1000;

  /** The shared figure, which counts how often it is touched. */
  private static final class CountingGauge extends LiveGauge {
    private int touches;

    CountingGauge() {
      super(CHUNK);
    }

    @Override
    void add(long requestedDelta, long allocatedDelta, long countDelta) {
      touches++;
      super.add(requestedDelta, allocatedDelta, countDelta);
    }
  }

  private final CountingGauge gauge = new CountingGauge();
  private final LiveBooks books = new LiveBooks(gauge);

  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(longs = {1, CHUNK, CHUNK + 1, 2 * CHUNK})
  @DisplayName("a block of up to two chunks, taken again and again, touches it for the first pair")
  void pairs(long size) {
    pair(size);
    int first = gauge.touches;
    for (int i = 0; i < 1000; i++) {
      pair(size);
    }
    assertEquals(first, gauge.touches);
    assertEquals(size + CHUNK, gauge.peaks().allocated());
  }

  @Test
  @DisplayName("never more than two chunks, whatever was given back")
  void bounded() {
    for (long size : new long[] {1, CHUNK, 2 * CHUNK, 2 * CHUNK + 1, 50 * CHUNK, 3}) {
      pair(size);
      assertTrue(gauge.allocatedBytes() <= 2 * CHUNK, size + " left " + gauge.allocatedBytes());
    }
    books.settle();
    assertEquals(0, gauge.allocatedBytes());
  }

  @Test
  @DisplayName("a chunk that shrinks gives back what is too much for it now")
  void shrinks() {
    books.earned(8000 * CHUNK);
    pair(1500 * CHUNK);
    books.earned(0);
    assertTrue(gauge.allocatedBytes() <= 2 * CHUNK, "left " + gauge.allocatedBytes());
  }

  @Test
  @DisplayName("what was asked for and the number of blocks are bounded too, where bytes stay")
  void boundedInAll() {
    for (int i = 0; i < 1000; i++) {
      books.allocated(512, 512);
    }
    for (int i = 0; i < 1000; i++) {
      books.freed(512, 512);
      books.allocated(1, 512);
    }
    books.allocated(1, 512_000);
    for (int i = 0; i < 1000; i++) {
      books.freed(1, 512);
    }
    gauge.resetPeaks();
    new LiveBooks(gauge).allocated(1, 1);
    assertTrue(gauge.peaks().requested() <= 2 + 4 * CHUNK, gauge.peaks().toString());
    assertTrue(gauge.peaks().count() <= 2 + 4 * gauge.chunkCount(), gauge.peaks().toString());
  }

  private void pair(long size) {
    books.allocated(size, size);
    books.freed(size, size);
  }
}
