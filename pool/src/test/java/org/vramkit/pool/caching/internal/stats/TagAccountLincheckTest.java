package org.vramkit.pool.caching.internal.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.TagScope;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.allocator.Tags;
import org.vramkit.pool.caching.EveryOrder;

/** Two thread caches with a lock each. Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads the usage of a tag")
@Tag("own-schedules")
public class TagAccountLincheckTest {
  private static final String NAME = "tag";

  /** Three of them leave the band in which an account is silent. */
  private static final long SIZE = TagAccount.BAND / 2;

  private final UsageGauge gauge = new UsageGauge();
  private final ThreadCacheStatistics[] caches = {
    new ThreadCacheStatistics(gauge), new ThreadCacheStatistics(gauge)
  };
  private final AtomicLong live = new AtomicLong();
  private final AtomicLong highest = new AtomicLong();
  private final AtomicLong allocations = new AtomicLong();

  /** A fresh one for each order. */
  public TagAccountLincheckTest() {}

  /** Allocates as this thread's scope says, and closes some of it once the scope is closed. */
  private void uses(int cache, int allocated, int closed) {
    TagAccount[] accounts = new TagAccount[allocated];
    try (TagScope scope = Tags.open(NAME)) {
      for (int i = 0; i < allocated; i++) {
        synchronized (caches[cache]) {
          accounts[i] = caches[cache].accountOf(Tags.current());
          accounts[i].allocated(SIZE);
        }
        allocations.incrementAndGet();
        long now = live.addAndGet(SIZE);
        highest.accumulateAndGet(now, Math::max);
        assertTrue(gauge.peakOf(NAME) >= now, "a peak was missed");
      }
      assertEquals(NAME, scope.getTag());
    }
    assertEquals("", Tags.current());
    for (int i = 0; i < closed; i++) {
      live.addAndGet(-SIZE);
      synchronized (caches[cache]) {
        accounts[i].freed(SIZE);
      }
    }
  }

  @Operation
  public void takes() {
    uses(0, 2, 0);
  }

  @Operation
  public void takesAndGivesBack() {
    uses(0, 4, 4);
  }

  @Operation
  public void takesFromTheOther() {
    uses(1, 3, 1);
  }

  /** What is read meanwhile is what the thread caches say one after the other. */
  @Operation
  public void reads() {
    for (TagUsage each : sums()) {
      assertTrue(each.liveBytes() >= 0 && each.liveBytes() <= each.peakBytes(), each::toString);
      assertEquals(each.allocations() * SIZE, each.allocatedBytes());
    }
  }

  private List<TagUsage> sums() {
    ThreadCacheStatistics sum = ThreadCacheStatistics.sum();
    for (ThreadCacheStatistics each : caches) {
      synchronized (each) {
        sum.add(each);
      }
    }
    return sum.usagesByTag(ThreadCacheStatistics.sum(), gauge);
  }

  @Validate
  public void addsUp() {
    long count = allocations.get();
    List<TagUsage> sums = sums();
    assertEquals(count == 0 ? 0 : 1, sums.size());
    for (TagUsage each : sums) {
      assertEquals(live.get(), each.liveBytes());
      assertEquals(count, each.allocations());
      assertEquals(count * SIZE, each.allocatedBytes());
    }
    for (ThreadCacheStatistics each : caches) {
      each.settle();
    }
    assertTrue(gauge.peakOf(NAME) >= highest.get(), "a peak was lost");
    assertEquals(live.get(), gauge.ofTag(NAME).sum());
  }

  @Test
  @DisplayName("is exact in the end, and misses no peak")
  void exact() {
    EveryOrder.checkAssertions(
        TagAccountLincheckTest.class, 2 * EveryOrder.ORDERS, Tags.class, TagScope.class);
  }
}
