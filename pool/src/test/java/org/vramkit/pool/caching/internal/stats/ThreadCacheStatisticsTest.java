package org.vramkit.pool.caching.internal.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The share of a common figure that a stripe's statistics claim")
class ThreadCacheStatisticsTest {
  private static final long CHUNK = 1000;

  /** The shared figure, which counts how often it is touched. */
  private static final class CountingGauge extends UsageGauge {
    private int touches;
    private int claims;

    CountingGauge() {
      super(CHUNK);
    }

    @Override
    void cover(ThreadCacheStatistics cache) {
      touches++;
      super.cover(cache);
    }

    @Override
    void claim(ThreadCacheStatistics cache, int quantity, long change) {
      claims++;
      super.claim(cache, quantity, change);
    }
  }

  /** A lock that is taken by somebody else, or by nobody. */
  private record Fixed(boolean isFree) implements ThreadCacheStatistics.Lock {
    @Override
    public boolean tryLock() {
      return isFree;
    }

    @Override
    public void unlock() {}
  }

  private static final ThreadCacheStatistics.Lock FREE = new Fixed(true);
  private static final ThreadCacheStatistics.Lock TAKEN = new Fixed(false);

  private final CountingGauge gauge = new CountingGauge();
  private final ThreadCacheStatistics books = new ThreadCacheStatistics(gauge, FREE);

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
    assertEquals(size, gauge.peaks().allocated());
  }

  @Test
  @DisplayName("below the peak, blocks that come and go touch it once for many")
  void belowThePeak() {
    for (int i = 0; i < 1000; i++) {
      take(100);
    }
    for (int i = 0; i < 1000; i++) {
      giveBack(100);
    }
    int first = gauge.touches;
    for (int i = 0; i < 1000; i++) {
      take(10);
    }
    assertTrue(gauge.touches - first <= 30, "touches: " + (gauge.touches - first));
    assertEquals(100_000, gauge.peaks().allocated());
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
  @DisplayName("17.18 statistics that no other thread uses at that moment keep peaks exact")
  void exact() {
    long seed = 18;
    SplittableRandom random = new SplittableRandom(seed);
    UsageGauge pool = new UsageGauge(gauge);
    List<ThreadCacheStatistics> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(new ThreadCacheStatistics(i < 3 ? gauge : pool, FREE));
    }
    record Held(ThreadCacheStatistics books, long requested, long size) {}
    List<Held> held = new ArrayList<>();
    Truth total = new Truth();
    Truth own = new Truth();
    for (int step = 0; step < 20_000; step++) {
      String where = "seed " + seed + ", step " + step;
      int choice = random.nextInt(100);
      if (choice < (step % 2000 < 1000 ? 60 : 40) || held.isEmpty()) {
        long size = 1 + random.nextLong(step % 500 == 0 ? 5 * CHUNK : CHUNK / 5);
        Held block = new Held(all.get(random.nextInt(5)), 1 + random.nextLong(size), size);
        block.books.allocated(block.requested, block.size);
        held.add(block);
        total.add(block.requested, block.size, 1);
        own.add(all.indexOf(block.books) < 3 ? 0 : 1, block.requested, block.size);
      } else if (choice < 97) {
        Held block = held.remove(random.nextInt(held.size()));
        boolean pending = random.nextInt(8) == 0;
        if (pending) {
          block.books.freedPending(block.requested, block.size);
        } else {
          block.books.freed(block.requested, block.size);
        }
        total.add(-block.requested, -block.size, -1);
        total.pending(pending ? block.size : 0);
        own.add(all.indexOf(block.books) < 3 ? 0 : -1, block.requested, block.size);
        if (pending && random.nextBoolean()) {
          (all.indexOf(block.books) < 3 ? gauge : pool).pendingRemoved(block.size);
          total.pending(-block.size);
        }
      }
      total.assertIs(gauge.peaks(), where);
      assertEquals(own.allocatedPeak, pool.peaks().allocated(), where);
      assertEquals(own.requestedPeak, pool.peaks().requested(), where);
      assertEquals(own.countPeak, pool.peaks().blocks(), where);
    }
  }

  /** What a single figure that everybody touched would say. */
  private static final class Truth {
    private long requested;
    private long allocated;
    private long count;
    private long pending;
    private long requestedPeak;
    private long allocatedPeak;
    private long countPeak;
    private long activePeak;

    void add(long moreRequested, long moreAllocated, long moreBlocks) {
      requested += moreRequested;
      allocated += moreAllocated;
      count += moreBlocks;
      note();
    }

    void add(int sign, long ofRequested, long ofAllocated) {
      add(sign * ofRequested, sign * ofAllocated, (long) sign);
    }

    void pending(long more) {
      pending += more;
      note();
    }

    private void note() {
      requestedPeak = Math.max(requestedPeak, requested);
      allocatedPeak = Math.max(allocatedPeak, allocated);
      countPeak = Math.max(countPeak, count);
      activePeak = Math.max(activePeak, allocated + pending);
    }

    void assertIs(UsageGauge.Peaks peaks, String where) {
      assertEquals(requestedPeak, peaks.requested(), where);
      assertEquals(allocatedPeak, peaks.allocated(), where);
      assertEquals(countPeak, peaks.blocks(), where);
      assertEquals(activePeak, peaks.active(), where);
    }
  }

  @Test
  @DisplayName("17.18 books that are in use keep what they claimed, two chunks at most, in all")
  void met() {
    ThreadCacheStatistics used = new ThreadCacheStatistics(gauge, TAKEN);
    for (int i = 0; i < 1000; i++) {
      used.allocated(512, 512);
    }
    for (int i = 0; i < 1000; i++) {
      used.freed(512, 512);
      used.allocated(1, 512);
    }
    used.allocated(1, 512_000);
    for (int i = 0; i < 1000; i++) {
      used.freed(1, 512);
    }
    gauge.resetPeaks();
    books.allocated(1, 1);
    assertTrue(gauge.peaks().requested() <= 2 + 4 * CHUNK, gauge.peaks().toString());
    assertTrue(
        gauge.peaks().blocks() <= 2 + 4 * gauge.chunk(UsageGauge.BLOCKS), gauge.peaks().toString());
  }

  @Test
  @DisplayName("books that meet others again and again claim ahead of the peak, a chunk at most")
  void meetings() {
    ThreadCacheStatistics used = new ThreadCacheStatistics(gauge, TAKEN);
    for (int i = 0; i < 1000; i++) {
      used.allocated(1, 1);
      used.freed(1, 1);
      take(1);
    }
    assertTrue(gauge.touches <= 40, "touches: " + gauge.touches);
    assertTrue(gauge.peaks().allocated() <= 1001 + 2 * CHUNK, gauge.peaks().toString());
  }

  @Test
  @DisplayName("statistics of closed caches are removed, so a program may create any number")
  void swept() {
    pair(1);
    gauge.forgetSettled();
    int before = gauge.claims;
    new ThreadCacheStatistics(gauge, FREE).allocated(2, 2);
    assertEquals(before + UsageGauge.CLAIMED, gauge.claims, "no other books were asked");
    assertEquals(2, gauge.peaks().allocated());
  }

  private void pair(long size) {
    take(size);
    giveBack(size);
  }

  private void take(long size) {
    books.allocated(size, size);
  }

  private void giveBack(long size) {
    books.freed(size, size);
  }
}
