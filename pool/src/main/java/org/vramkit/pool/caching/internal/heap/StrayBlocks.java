package org.vramkit.pool.caching.internal.heap;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that nobody owns and that lie in no cache, because whoever carried them from one tier to
 * the next failed on the way: the JVM was out of memory, say. They wait here, linked by {@code
 * nextCached}, until somebody comes who can carry them on. Lock-free, and needs no memory itself.
 */
final class StrayBlocks {
  private final AtomicReference<@Nullable Block> first = new AtomicReference<>();

  /** Keeps blocks that are linked. */
  void add(@Nullable Block chain) {
    if (chain == null) {
      return;
    }
    Block last = chain;
    while (last.nextCached != null) {
      last = last.nextCached;
    }
    do {
      last.nextCached = first.get();
    } while (!first.compareAndSet(last.nextCached, chain));
  }

  /** All of them, linked; null if there are none. */
  @Nullable Block takeAll() {
    return first.get() == null ? null : first.getAndSet(null);
  }
}
