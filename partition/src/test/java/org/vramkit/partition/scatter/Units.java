package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.vramkit.partition.plan.Tile;

/** Counts how often each unit was processed. */
final class Units {
  private final AtomicIntegerArray done;

  Units(int count) {
    done = new AtomicIntegerArray(count);
  }

  void add(Tile tile) {
    add(tile.from(), tile.to());
  }

  void add(long from, long to) {
    for (long i = from; i < to; i++) {
      done.incrementAndGet((int) i);
    }
  }

  int get(int unit) {
    return done.get(unit);
  }

  void assertEachOnce(String what) {
    for (int i = 0; i < done.length(); i++) {
      assertEquals(1, done.get(i), what + ": unit " + i);
    }
  }

  static void assertCovered(List<Tile> tiles, long units) {
    long next = 0;
    for (Tile tile : tiles) {
      assertEquals(next, tile.from(), tiles.toString());
      next = tile.to();
    }
    assertEquals(units, next, tiles.toString());
  }
}
