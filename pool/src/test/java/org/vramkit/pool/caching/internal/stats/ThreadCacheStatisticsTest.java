package org.vramkit.pool.caching.internal.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The claims of thread caches on common figures")
class ThreadCacheStatisticsTest {
  private static final long CAPACITY = 10_000;

  private final UsageGauge gauge = new UsageGauge();

  private record Held(Cache cache, long requested, long size) {}

  /** A thread cache: its free blocks, and its statistics. */
  private static final class Cache {
    final UsageGauge gauge;
    final ThreadCacheStatistics books;
    final Deque<Long> free = new ArrayDeque<>();
    long freeBytes;

    Cache(UsageGauge gauge) {
      this.gauge = gauge;
      this.books = new ThreadCacheStatistics(gauge);
    }

    /** Allocates a block of the cache, or else one of the heap. */
    Held take(long size, SplittableRandom random) {
      long taken = size;
      if (!free.isEmpty()) {
        taken = free.pop();
        freeBytes -= taken;
      }
      Held block = new Held(this, 1 + random.nextLong(taken), taken);
      books.allocated(block.requested, block.size);
      return block;
    }

    void give(Held block) {
      books.freed(block.requested, block.size);
      free.push(block.size);
      freeBytes += block.size;
      keep(CAPACITY);
    }

    /** Returns blocks to the heap. */
    void keep(long most) {
      if (freeBytes > most) {
        while (freeBytes > most) {
          freeBytes -= free.removeLast();
        }
        books.left(freeBytes, free.size());
      }
    }
  }

  /** What a figure says that everybody changes at once. */
  private static final class Truth {
    private final long[] now = new long[4];
    private final long[] peaks = new long[4];

    void add(int sign, Held block) {
      now[0] += sign * block.requested;
      now[1] += sign * block.size;
      now[2] += sign * block.size;
      now[3] += sign;
      for (int i = 0; i < now.length; i++) {
        peaks[i] = Math.max(peaks[i], now[i]);
      }
    }

    void pending(long more) {
      now[2] += more;
      peaks[2] = Math.max(peaks[2], now[2]);
    }

    /** Peaks are never too low, and too high by no more than was free in other caches. */
    void check(UsageGauge gauge, long othersBytes, long othersBlocks, String where) {
      UsageGauge.Peaks told = gauge.peaks(Long.MAX_VALUE);
      long[] all = {told.requested(), told.allocated(), told.active(), told.blocks()};
      for (int i = 0; i < all.length; i++) {
        long most = i == 3 ? othersBlocks : othersBytes;
        assertTrue(
            all[i] >= peaks[i] && all[i] <= peaks[i] + most,
            where + ", figure " + i + ": " + all[i] + " of " + peaks[i] + " + " + most);
      }
    }
  }

  private void program(int caches, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    UsageGauge pool = new UsageGauge(gauge);
    List<Cache> all = new ArrayList<>();
    for (int i = 0; i < caches; i++) {
      all.add(new Cache(i % 2 == 0 ? gauge : pool));
    }
    List<Held> held = new ArrayList<>();
    Truth total = new Truth();
    Truth ofPool = new Truth();
    long othersBytes = 0;
    long othersBlocks = 0;
    for (int step = 0; step < 20_000; step++) {
      int choice = random.nextInt(100);
      if (choice < (step % 2000 < 1000 ? 60 : 40) || held.isEmpty()) {
        Cache cache = all.get(random.nextInt(caches));
        Held block =
            cache.take(1 + random.nextLong(step % 500 == 0 ? 5 * CAPACITY : CAPACITY / 50), random);
        held.add(block);
        total.add(1, block);
        if (cache.gauge == pool) {
          ofPool.add(1, block);
        }
      } else if (choice < 97) {
        Held block = held.remove(random.nextInt(held.size()));
        boolean pending = random.nextInt(8) == 0;
        if (pending) {
          block.cache.books.freedPending(block.requested, block.size);
        } else {
          block.cache.give(block);
        }
        total.add(-1, block);
        total.pending(pending ? block.size : 0);
        if (block.cache.gauge == pool) {
          ofPool.add(-1, block);
          ofPool.pending(pending ? block.size : 0);
        }
        if (pending && random.nextBoolean()) {
          block.cache.gauge.pendingRemoved(block.size);
          total.pending(-block.size);
          if (block.cache.gauge == pool) {
            ofPool.pending(-block.size);
          }
        }
      } else {
        all.get(random.nextInt(caches)).keep(random.nextLong(CAPACITY));
      }
      if (caches > 1) {
        othersBytes = Math.max(othersBytes, all.stream().mapToLong(each -> each.freeBytes).sum());
        othersBlocks =
            Math.max(othersBlocks, all.stream().mapToLong(each -> each.free.size()).sum());
      }
      String where = "seed " + seed + ", step " + step;
      total.check(gauge, othersBytes, othersBlocks, where);
      ofPool.check(pool, othersBytes, othersBlocks, where);
    }
  }

  @Test
  @DisplayName("17.18 of one cache alone make exact peaks, also of what waits for streams")
  void exact() {
    program(1, 18);
  }

  @Test
  @DisplayName("17.18 of several make peaks that are too high by what was free in the others")
  void bounded() {
    program(6, 19);
  }

  @Test
  @DisplayName("change nothing for blocks that come and go below what the cache had live before")
  void silent() {
    Cache cache = new Cache(gauge);
    SplittableRandom random = new SplittableRandom(20);
    List<Held> held = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      held.add(cache.take(100, random));
    }
    held.forEach(cache::give);
    assertEquals(5000, gauge.allocated.sum(), "what the cache may serve stays claimed");
    for (int i = 0; i < 50; i++) {
      cache.books.allocated(1, 100);
      assertEquals(5000, gauge.allocated.sum());
    }
    assertEquals(5000, gauge.peaks(Long.MAX_VALUE).allocated());
    cache.books.allocated(1, 100);
    assertEquals(5100, gauge.allocated.sum());
  }

  @Test
  @DisplayName("fall with the blocks that leave a cache, and to the live blocks before a reset")
  void leaving() {
    Cache cache = new Cache(gauge);
    SplittableRandom random = new SplittableRandom(21);
    Held kept = cache.take(700, random);
    List.of(cache.take(300, random), cache.take(400, random)).forEach(cache::give);
    assertEquals(1400, gauge.allocated.sum());
    cache.keep(400);
    assertEquals(1100, gauge.allocated.sum());
    assertEquals(2, gauge.blocks.sum());
    cache.books.settle();
    gauge.resetPeaks();
    assertEquals(kept.size, gauge.peaks(Long.MAX_VALUE).active());
    assertEquals(1, gauge.peaks(Long.MAX_VALUE).blocks());
  }
}
