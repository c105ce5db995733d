package org.vramkit.pool.caching.internal.stats;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts times or bytes in one pool, and so in all pools of its allocator together. */
public final class PoolCounter {
  private final LongAdder adder = new LongAdder();
  private final @Nullable PoolCounter total;
  private volatile long before;

  /** Counts for itself, and in the total where there is one. */
  PoolCounter(@Nullable PoolCounter total) {
    this.total = total;
  }

  public void increment() {
    add(1);
  }

  public void add(long more) {
    adder.add(more);
    if (total != null) {
      total.add(more);
    }
  }

  /** Counts from 0 again; the total is another counter's. */
  void reset() {
    before = adder.sum();
  }

  public long sum() {
    return adder.sum() - before;
  }
}
