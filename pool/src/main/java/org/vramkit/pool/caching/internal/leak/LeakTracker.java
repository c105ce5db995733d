package org.vramkit.pool.caching.internal.leak;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.cache.CachingAllocation;
import org.vramkit.pool.caching.internal.heap.Block;

/**
 * Tracks a handle. The block refers to the tracker until the handle is closed, because the garbage
 * collector does not enqueue a tracker that is itself unreachable.
 */
final class LeakTracker extends PhantomReference<CachingAllocation.Watched> {
  final Block block;

  // Copied from the block, which may be reused after the close.
  final long address;
  final Stream stream;
  final String tag;

  /** The requested bytes. */
  final long bytes;

  final String thread = Thread.currentThread().getName();

  /** The stack of the allocation, the nearest frame first; empty unless stacks are kept. */
  final List<StackTraceElement> stack;

  LeakTracker(
      CachingAllocation.Watched watched,
      ReferenceQueue<CachingAllocation.Watched> queue,
      Block block,
      long bytes,
      List<StackTraceElement> stack) {
    super(watched, queue);
    this.block = block;
    this.address = block.address;
    this.stream = block.owner().stream;
    this.tag = block.tag();
    this.bytes = bytes;
    this.stack = stack;
  }
}
