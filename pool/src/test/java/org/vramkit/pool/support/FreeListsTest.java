package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.HostEdge;

@DisplayName("Lists of free pieces")
class FreeListsTest {
  private static final int MANY = 1000;

  private final AtomicLong comparisons = new AtomicLong();
  private final FreeLists<String, Piece> free = new FreeLists<>(piece -> 1, HostEdge.NONE);

  private final class Piece {
    @Override
    public boolean equals(Object other) {
      comparisons.incrementAndGet();
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  @Test
  @DisplayName("find the oldest of many of one key without looking at the others")
  void evictMany() {
    for (int i = 0; i < MANY; i++) {
      free.add("key", new Piece());
    }
    assertEquals(MANY, free.evictTo(0).size());
    assertEquals(0, free.count("key"));
    assertTrue(comparisons.get() <= 2 * MANY, comparisons + " comparisons");
  }

  @Test
  @DisplayName("take out the newest of one key or the oldest of all")
  void order() {
    Piece first = new Piece();
    Piece second = new Piece();
    Piece third = new Piece();
    free.add("a", first);
    free.add("b", second);
    free.add("a", third);
    assertEquals(third, free.take("a"));
    free.add("a", third);
    assertEquals(List.of(first, second), free.evictTo(1));
    assertEquals(third, free.take("a"));
    assertEquals(0, free.bytes());
  }
}
