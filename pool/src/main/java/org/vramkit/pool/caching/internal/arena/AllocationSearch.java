package org.vramkit.pool.caching.internal.arena;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.internal.cache.FilledCaches;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.StreamCaches;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Growth;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.PendingFrees;
import org.vramkit.pool.caching.internal.heap.StreamState;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.support.EventPool;

/** Where a block comes from that no thread cache has: the rules are those of {@link Heap}. */
final class AllocationSearch {
  private final StreamCaches streams;
  private final FilledCaches filled;
  private final Heap heap;
  private final PendingFrees pending;
  private final EventPool events;
  private final StealPolicy steal;
  private final OutOfMemoryRecovery recovery;

  AllocationSearch(
      StreamCaches streams,
      FilledCaches filled,
      Heap heap,
      PendingFrees pending,
      EventPool events,
      CachingAllocatorOptions options,
      OutOfMemoryRecovery recovery) {
    this.streams = streams;
    this.filled = filled;
    this.heap = heap;
    this.pending = pending;
    this.events = events;
    this.steal = options.steal();
    this.recovery = recovery;
  }

  /**
   * Finds a block and counts it for its stream.
   *
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if nothing helps
   */
  Block find(StreamCache owner, long size, long requested, long alignment, String tag) {
    Block block = heap.mayEverHave(size) ? findFree(owner, size, alignment) : null;
    boolean free = block != null;
    if (block == null) {
      block = findNew(owner, size, requested, alignment, tag);
    }
    try {
      owner.account(block, requested, free);
      return block;
    } catch (RuntimeException | Error e) {
      heap.free(block);
      throw e;
    }
  }

  /** A block that needs no memory from the driver, and moves none; null if there is none. */
  private @Nullable Block findFree(StreamCache owner, long size, long alignment) {
    poll();
    Block block = heap.takeGood(owner, size, alignment);
    if (block == null && flush() > 0) {
      block = heap.take(owner, size, alignment);
    }
    if (block == null && steal != StealPolicy.NEVER && heap.settleSome(streams.all())) {
      block = heap.take(owner, size, alignment);
    }
    if (block == null && steal == StealPolicy.WITH_WAIT) {
      block = heap.steal(owner, size, alignment, streams.all(), events);
    }
    return block != null ? block : pollBriefly(owner, size, alignment);
  }

  /** Polls the streams for as long as creating the memory would take. */
  private @Nullable Block pollBriefly(StreamCache owner, long size, long alignment) {
    boolean alone = steal == StealPolicy.NEVER;
    List<? extends StreamState> asked = alone ? List.of(owner) : streams.all();
    for (int left = heap.polls.pollsFor(size); left > 0; ) {
      int unsettled = alone ? (heap.hasUnsettled(owner) ? 1 : 0) : heap.countUnsettled();
      if (unsettled == 0) {
        return null;
      }
      int count = Math.min(Heap.MOST_ASKED, unsettled);
      left -= heap.polls.polled(count);
      if (heap.settleMarks(asked, alone ? Integer.MAX_VALUE : count)) {
        Block block = heap.take(owner, size, alignment);
        if (block != null) {
          heap.polls.saved(size);
          return block;
        }
      }
    }
    return null;
  }

  /** A block of memory that moves or is new; else what the recovery finds. Not counted. */
  Block findNew(StreamCache owner, long size, long requested, long alignment, String tag) {
    Growth growth = heap.mayEverHave(size) ? heap.grow(owner, size, alignment) : new Growth();
    Block block = growth.block();
    return block != null
        ? block
        : recovery.recover(owner, size, requested, alignment, tag, growth.refusal());
  }

  /** Takes back blocks of closed allocations that no other stream uses any more. */
  void poll() {
    if (!pending.isEmpty()) {
      heap.free(pending.poll());
    }
  }

  /** Empties the thread caches into the heap, where blocks merge; returns the bytes. */
  long flush() {
    return filled.flush(heap);
  }
}
