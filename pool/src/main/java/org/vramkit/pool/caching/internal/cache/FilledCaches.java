package org.vramkit.pool.caching.internal.cache;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.internal.heap.Heap;

/**
 * The thread caches of a pool that may hold blocks: a flush empties these and no others, however
 * many streams are open. A lock-free stack, linked through the caches. A cache enters when it keeps
 * its first block after a flush.
 */
public final class FilledCaches {
  private final AtomicReference<@Nullable ThreadCache> top = new AtomicReference<>();

  /** Enters a cache, which is locked and not here. */
  public void add(ThreadCache cache) {
    ThreadCache before;
    do {
      before = top.get();
      cache.nextFilled = before;
    } while (!top.compareAndSet(before, cache));
  }

  /** Empties all caches into the heap; returns the bytes. */
  public long flush(Heap heap) {
    long[] flushed = {0};
    ThreadCache each = top.getAndSet(null);
    while (each != null) {
      // Once it is marked as absent, another thread may enter it again.
      ThreadCache next = each.nextFilled;
      each.drainTo(
          heap,
          cache -> {
            cache.isTakenFromFilled();
            flushed[0] += cache.bytes();
            return true;
          });
      each = next;
    }
    return flushed[0];
  }
}
