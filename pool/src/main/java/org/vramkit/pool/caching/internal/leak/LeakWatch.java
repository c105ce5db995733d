package org.vramkit.pool.caching.internal.leak;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.cache.CachingAllocation;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.HandleWatch;

/**
 * Watches one handle. Its block holds it, so it lives as long as there is something to watch. When
 * the handle is closed the block lets go of it, and the collector queues nothing that nobody holds.
 */
final class LeakWatch extends PhantomReference<CachingAllocation.Watched> implements HandleWatch {
  final Block block;

  // What the block was when its handle was made: once that is closed it may become another one.
  final long address;
  final Stream stream;
  final String tag;

  final long bytes;
  final String thread = Thread.currentThread().getName();
  final long since;
  final List<StackTraceElement> stack;
  private final @Nullable Set<LeakWatch> held;

  /** Guarded by those that are held. */
  boolean ended;

  LeakWatch(
      CachingAllocation.Watched watched,
      ReferenceQueue<CachingAllocation.Watched> queue,
      Block block,
      long bytes,
      long since,
      List<StackTraceElement> stack,
      @Nullable Set<LeakWatch> held) {
    super(watched, queue);
    this.block = block;
    this.address = block.address;
    this.stream = block.owner().stream;
    this.tag = block.tag();
    this.bytes = bytes;
    this.since = since;
    this.stack = stack;
    this.held = held;
  }

  @Override
  public void closed() {
    if (held != null) {
      synchronized (held) {
        ended = true;
        held.remove(this);
      }
    }
  }
}
