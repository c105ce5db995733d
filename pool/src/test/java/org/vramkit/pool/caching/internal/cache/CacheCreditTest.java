package org.vramkit.pool.caching.internal.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.stats.PoolReservedMemory;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;

@DisplayName("Caches may cost memory only where time is spent behind them")
class CacheCreditTest {
  private static final long LIVE = 8 * ByteSize.GIB;
  private static final long DEVICE = 80 * ByteSize.GIB;

  private final AtomicLong clock = new AtomicLong();
  private final AtomicLong ownLive = new AtomicLong(LIVE);
  private final ReservedMemory books = new ReservedMemory(Long.MAX_VALUE);
  private final CacheCredit credit =
      new CacheCredit(0.5, books, () -> LIVE, ownLive::get, DEVICE, clock::get);

  CacheCreditTest() {
    books.taken(LIVE, 1);
  }

  private boolean search(long nanos) {
    return search(credit, nanos);
  }

  private boolean search(CacheCredit searching, long nanos) {
    long begin = searching.searchBegins();
    clock.addAndGet(nanos);
    return searching.searchEnds(begin);
  }

  /** 100 ms in which a million searches take so much time together. */
  private void live(long searchMillis) {
    live(credit, searchMillis);
  }

  private void live(CacheCredit searching, long searchMillis) {
    long each = TimeUnit.MILLISECONDS.toNanos(searchMillis) / 1_000_000;
    for (int i = 0; i < 1_000_000; i++) {
      search(searching, each);
    }
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(100 - searchMillis));
    searching.judge(() -> 2);
  }

  private void earnWith(CacheCredit searching) {
    live(searching, 90);
    live(searching, 90);
  }

  @Test
  @DisplayName("who searches for a third of the time earns nothing, however long")
  void calm() {
    for (int i = 0; i < 100; i++) {
      live(33);
    }
    assertEquals(0, credit.earnedRoom());
    assertFalse(credit.isBusy());
    assertFalse(credit.covers(1));
  }

  @Test
  @DisplayName("a start that searches all the time earns nothing yet")
  void start() {
    live(90);
    assertEquals(0, credit.earnedRoom());
    assertFalse(credit.covers(1));
  }

  @Test
  @DisplayName("a few searches earn nothing, however long they take")
  void few() {
    for (int i = 0; i < 100; i++) {
      search(TimeUnit.MILLISECONDS.toNanos(90));
      clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
      credit.judge(() -> 2);
    }
    assertEquals(0, credit.earnedRoom());
  }

  @Test
  @DisplayName("who keeps searching earns room by quarters, shared by the stripes, up to the share")
  void busy() {
    live(90);
    live(90);
    assertEquals(LIVE / 2 / 4 / 2, credit.earnedRoom());
    for (int i = 0; i < 3; i++) {
      live(6);
    }
    assertEquals(LIVE / 2 / 2, credit.earnedRoom());
    live(90);
    assertEquals(LIVE / 2 / 2, credit.earnedRoom());
  }

  @Test
  @DisplayName("what is earned may be reserved beyond what is live, and no more")
  void covered() {
    live(90);
    live(90);
    assertTrue(credit.covers(LIVE / 8));
    assertFalse(credit.covers(LIVE / 8 + 1));
    books.taken(LIVE / 8, 1);
    assertFalse(credit.covers(1));
  }

  @Test
  @DisplayName("once searches cost next to nothing the room goes by halves")
  void phaseEnds() {
    live(90);
    live(90);
    long first = credit.earnedRoom();
    clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
    credit.judge(() -> 2);
    assertEquals(first / 2, credit.earnedRoom());
    for (int i = 0; i < 64; i++) {
      clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
      credit.judge(() -> 2);
    }
    assertFalse(credit.isBusy());
  }

  @Test
  @DisplayName(
      "larger blocks are for while users hold a quarter of the device at most, busy or not")
  void nearDevice() {
    live(90);
    live(90);
    assertTrue(credit.isGenerous());
    CacheCredit full =
        new CacheCredit(0.5, books, () -> LIVE, ownLive::get, 4 * LIVE - 1, clock::get);
    earnWith(full);
    assertTrue(full.isBusy());
    assertFalse(full.isGenerous());
  }

  @Test
  @DisplayName("of a pool with a limit of its own what its own users hold counts, not all others'")
  void nearPoolLimit() {
    ReservedMemory pool = new PoolReservedMemory(books, LIVE);
    CacheCredit ofPool = new CacheCredit(0.5, pool, () -> LIVE, ownLive::get, DEVICE, clock::get);
    ownLive.set(LIVE / 4);
    earnWith(ofPool);
    assertTrue(ofPool.isGenerous());
    ownLive.set(LIVE / 4 + 1);
    assertFalse(ofPool.isGenerous());
  }

  @Test
  @DisplayName("when memory is short all is to be earned anew")
  void forfeit() {
    live(90);
    live(90);
    credit.forfeit();
    assertEquals(0, credit.earnedRoom());
    assertFalse(credit.covers(1));
    live(90);
    assertEquals(0, credit.earnedRoom());
  }
}
