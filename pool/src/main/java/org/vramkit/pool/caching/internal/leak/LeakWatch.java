package org.vramkit.pool.caching.internal.leak;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.internal.cache.CachingAllocation;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.HandleWatch;

/**
 * Watches one handle. Its block holds it, so it lives as long as there is something to watch, and
 * is in nobody's way: the block lets go of it when the handle is closed.
 */
final class LeakWatch extends PhantomReference<CachingAllocation> implements HandleWatch {
  final Block block;
  final long bytes;
  final String thread = Thread.currentThread().getName();
  final long since;
  final List<StackTraceElement> stack;
  private final @Nullable HeldWatches held;

  // Guarded by the list.
  @Nullable LeakWatch older;
  @Nullable LeakWatch newer;
  boolean listed;
  boolean ended;

  LeakWatch(
      CachingAllocation handle,
      ReferenceQueue<CachingAllocation> queue,
      Block block,
      long since,
      List<StackTraceElement> stack,
      @Nullable HeldWatches held) {
    super(handle, queue);
    this.block = block;
    this.bytes = handle.getSize();
    this.since = since;
    this.stack = stack;
    this.held = held;
  }

  @Override
  public void closed() {
    clear();
    if (held != null) {
      held.remove(this);
    }
  }
}
