package org.vramkit.pool.caching.internal.cache;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.EveryOrder;
import org.vramkit.pool.caching.HeapMaker;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.caching.ScriptedStream;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Block.State;
import org.vramkit.pool.caching.internal.heap.HeapChecks;
import org.vramkit.pool.caching.internal.heap.Region;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.stats.UsageGauge;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads a thread cache and its handles")
@Tag("own-schedules")
public class ThreadCacheLincheckTest {
  private static final long SIZE = SizeRules.QUANTUM;
  private static final StreamCache HEAP =
      new HeapMaker(new ScriptedDevice()).make(new ScriptedStream(new ScriptedDevice(), 7));

  private final Block.Table numbers = new Block.Table();
  private final UsageGauge gauge = new UsageGauge();
  private final ThreadCache cache =
      new ThreadCache(HEAP, new StreamCache.Settings(8 * SIZE, 0, 1), gauge, numbers);
  private final Region region = HeapChecks.region(1 << 20);

  /** Blocks that were made, and those of them that lie in no cache and have no user. */
  private final AtomicInteger made = new AtomicInteger();

  private final AtomicInteger flushed = new AtomicInteger();

  /** What a user writes into its block, unlike any other user. */
  private final AtomicLong marks = new AtomicLong(1L << 32);

  /** A handle that all threads know and close. */
  private final AtomicReference<CachingAllocation> known = new AtomicReference<>(allocate());

  /** A fresh one for each order. */
  public ThreadCacheLincheckTest() {}

  /**
   * As an allocator does: where the thread cache is taken or empty, a block comes from elsewhere.
   */
  private CachingAllocation allocate() {
    Block block = tryTake();
    return handleOf(block == null ? fresh() : block);
  }

  private @Nullable Block tryTake() {
    if (!cache.tryLock()) {
      return null;
    }
    try {
      return cache.take(SIZE, SIZE, "");
    } finally {
      cache.unlock();
    }
  }

  private static CachingAllocation handleOf(Block block) {
    CachingAllocation handle = new CachingAllocation(SIZE);
    handle.hold(block, block);
    return handle;
  }

  private Block fresh() {
    Block block = HeapChecks.block(region, SIZE * made.incrementAndGet(), SIZE);
    block.requested = SIZE;
    block.cache = cache;
    cache.lock();
    numbers.give(block);
    cache.stats.allocated(SIZE, SIZE);
    cache.unlock();
    return block;
  }

  /** What one thread has is not another one's as well, nor lies in the cache. */
  @Operation
  public void uses() {
    Block block = tryTake();
    Block own = block == null ? fresh() : block;
    CachingAllocation handle = handleOf(own);
    long mine = marks.incrementAndGet();
    own.epoch = mine;
    assertEquals(State.LIVE, own.state());
    assertEquals(mine, own.epoch, "another user's");
    handle.close();
    assertTrue(handle.isClosed());
  }

  @Operation
  public void closesTheKnown() {
    requireNonNull(known.get()).close();
  }

  /** What the old one gives back may come to be the next one's. */
  @Operation
  public void replacesTheKnown() {
    requireNonNull(known.getAndSet(allocate())).close();
  }

  /** As memory is searched for by somebody else. */
  @Operation
  public void flushes() {
    cache.lock();
    Block drained;
    try {
      drained = cache.drain(0);
    } finally {
      cache.unlock();
    }
    flushed.addAndGet(lengthOf(drained));
  }

  private static int lengthOf(@Nullable Block first) {
    int length = 0;
    for (Block block = first; block != null; block = block.nextCached) {
      length++;
    }
    return length;
  }

  /** Every block is in one place, and the books know how many have users. */
  @Validate
  public void addsUp() {
    requireNonNull(known.get()).close();
    assertEquals(made.get(), flushed.get() + cache.count(), "blocks");
    assertEquals(cache.stats.allocations, cache.stats.frees, "allocations and frees");
    cache.stats.settle();
    gauge.resetPeaks();
    assertEquals(0, gauge.activePeak(), "live");
  }

  @Test
  @DisplayName("hand no block out twice, and take each back once")
  void once() {
    EveryOrder.checkAssertions(ThreadCacheLincheckTest.class, EveryOrder.ORDERS);
  }
}
