package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.units.ByteSize;

@DisplayName("Caches may cost memory only where time is spent behind them")
class CacheCreditTest {
  private static final long LIVE = 8 * ByteSize.GIB;

  private final AtomicLong clock = new AtomicLong();
  private final MemoryBooks books = new MemoryBooks(Long.MAX_VALUE);
  private final CacheCredit credit = new CacheCredit(0.5, books, () -> LIVE, clock::get);

  CacheCreditTest() {
    books.taken(LIVE, 1);
  }

  /** 100 ms in which a million searches take so much time together. */
  private void live(long searchMillis) {
    long each = TimeUnit.MILLISECONDS.toNanos(searchMillis) / 1_000_000;
    for (int i = 0; i < 1_000_000; i++) {
      credit.searched(each);
    }
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
    credit.judge(2);
  }

  @Test
  @DisplayName("who searches for a fiftieth of the time earns nothing, however long")
  void calm() {
    for (int i = 0; i < 100; i++) {
      live(2);
      credit.emptied(ByteSize.GIB);
    }
    assertEquals(0, credit.earnedRoom());
    assertFalse(credit.pay(1));
  }

  @Test
  @DisplayName("a start that searches all the time earns nothing yet")
  void start() {
    live(90);
    credit.emptied(ByteSize.GIB);
    assertEquals(0, credit.earnedRoom());
    assertFalse(credit.pay(1));
  }

  @Test
  @DisplayName(
      "who keeps searching earns room step by step, shared by the stripes, up to the share")
  void busy() {
    live(90);
    live(90);
    long first = credit.earnedRoom();
    assertTrue(first > 0 && first < LIVE / 4, "room " + first);
    for (int i = 0; i < 100; i++) {
      live(90);
    }
    assertEquals(LIVE / 2 / 2, credit.earnedRoom());
  }

  @Test
  @DisplayName("emptying pays for growth later, until it is spent")
  void paying() {
    live(90);
    live(90);
    credit.emptied(4 * ByteSize.MIB);
    assertTrue(credit.pay(ByteSize.MIB));
    assertFalse(credit.pay(1));
  }

  @Test
  @DisplayName("nothing is paid once the share is reserved beyond what is live")
  void bounded() {
    live(90);
    live(90);
    credit.emptied(4 * LIVE);
    books.taken(LIVE / 2 - ByteSize.MIB, 1);
    assertTrue(credit.pay(ByteSize.MIB));
    books.taken(ByteSize.MIB, 1);
    assertFalse(credit.pay(ByteSize.MIB));
  }

  @Test
  @DisplayName("when memory is short all is to be earned anew")
  void forfeit() {
    live(90);
    live(90);
    credit.emptied(ByteSize.GIB);
    credit.forfeit();
    assertEquals(0, credit.earnedRoom());
    assertFalse(credit.pay(1));
    live(90);
    assertEquals(0, credit.earnedRoom());
  }
}
