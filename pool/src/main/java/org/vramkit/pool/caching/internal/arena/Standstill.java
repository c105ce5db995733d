package org.vramkit.pool.caching.internal.arena;

import java.util.List;
import java.util.function.Supplier;
import org.vramkit.pool.caching.internal.cache.ArenaGate;

/**
 * Stops pools for the time of an action: no block changes hands, none is split or merged, and no
 * allocation or close is noted in the history. Callers of the allocator wait for as long. The
 * driver may be at work meanwhile, so memory may be on its way between it and a heap.
 *
 * <p>Takes the locks of each pool in their order: those of pending blocks, then of the heap, of the
 * streams, and of the thread caches. The action may take none of them again.
 */
public final class Standstill {
  private Standstill() {}

  /** Runs an action while these pools stand still, and returns its result. */
  public static <T> T of(List<Arena> pools, Supplier<T> action) {
    ArenaGate.requireStack();
    return beside(pools, action);
  }

  private static <T> T beside(List<Arena> pools, Supplier<T> action) {
    if (pools.isEmpty()) {
      return action.get();
    }
    Arena first = pools.get(0);
    List<Arena> rest = pools.subList(1, pools.size());
    first.pending.lock.lock();
    first.heap.lock.lock();
    try {
      return first.streams.standingStill(() -> beside(rest, action));
    } finally {
      first.heap.lock.unlock();
      first.pending.lock.unlock();
    }
  }
}
