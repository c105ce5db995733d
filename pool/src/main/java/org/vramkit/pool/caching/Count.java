package org.vramkit.pool.caching;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** How often something happened: in one pool, and so in all pools of its allocator together. */
final class Count {
  private final LongAdder adder = new LongAdder();
  private final @Nullable Count total;

  /** Counts for itself, and in the total where there is one. */
  Count(@Nullable Count total) {
    this.total = total;
  }

  void increment() {
    add(1);
  }

  void add(long times) {
    adder.add(times);
    if (total != null) {
      total.add(times);
    }
  }

  long sum() {
    return adder.sum();
  }
}
