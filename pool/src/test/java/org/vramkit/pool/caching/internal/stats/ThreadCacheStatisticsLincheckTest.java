package org.vramkit.pool.caching.internal.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.EveryOrder;

/**
 * Two thread caches with locks of their own, one of them of a private pool. Lincheck makes
 * instances of it, so it is public.
 */
@DisplayName("In every order of two threads the books of thread caches and their gauge")
@Tag("own-schedules")
public class ThreadCacheStatisticsLincheckTest {
  private static final long SIZE = 4;

  private final UsageGauge gauge = new UsageGauge();
  private final ReentrantLock lock = new ReentrantLock();
  private final ReentrantLock othersLock = new ReentrantLock();
  private final ThreadCacheStatistics books = new ThreadCacheStatistics(gauge);
  private final UsageGauge poolGauge = new UsageGauge(gauge);
  private final ThreadCacheStatistics others = new ThreadCacheStatistics(poolGauge);
  private final AtomicLong liveInPool = new AtomicLong();
  private final AtomicLong live = new AtomicLong();
  private final AtomicLong highest = new AtomicLong();

  /** A fresh one for each order. */
  public ThreadCacheStatisticsLincheckTest() {}

  private void take(ThreadCacheStatistics cache) {
    under(cache, () -> cache.allocated(SIZE, SIZE));
    long now = live.addAndGet(SIZE);
    highest.accumulateAndGet(now, Math::max);
    assertTrue(gauge.allocated.peak() >= now, "a peak was missed");
    if (cache == others) {
      long ofPool = liveInPool.addAndGet(SIZE);
      assertTrue(poolGauge.allocated.peak() >= ofPool, "a peak of the pool was missed");
    }
  }

  private void giveBack(ThreadCacheStatistics cache) {
    live.addAndGet(-SIZE);
    if (cache == others) {
      liveInPool.addAndGet(-SIZE);
    }
    under(cache, () -> cache.freed(SIZE, SIZE));
  }

  private void under(ThreadCacheStatistics cache, Runnable action) {
    ReentrantLock guard = cache == books ? lock : othersLock;
    guard.lock();
    try {
      action.run();
    } finally {
      guard.unlock();
    }
  }

  @Operation
  public void takes() {
    take(books);
    take(books);
  }

  @Operation
  public void takesAndGivesBack() {
    take(others);
    take(others);
    giveBack(others);
    giveBack(others);
  }

  /** As if its cache were flushed. */
  @Operation
  public void leaves() {
    under(books, () -> books.left(0, 0));
  }

  /** Claims lowered, the gauge shows what is live. */
  @Validate
  public void addsUp() {
    books.settle();
    others.settle();
    assertTrue(gauge.allocated.peak() >= highest.get(), "a peak was lost");
    assertEquals(live.get(), gauge.allocated.sum());
    assertEquals(liveInPool.get(), poolGauge.allocated.sum());
  }

  @Test
  @DisplayName("miss no peak, and add up when claims are lowered")
  void exact() {
    EveryOrder.checkAssertions(ThreadCacheStatisticsLincheckTest.class, 2 * EveryOrder.ORDERS);
  }
}
