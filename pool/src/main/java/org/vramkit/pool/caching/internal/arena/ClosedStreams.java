package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.StreamCaches;
import org.vramkit.pool.caching.internal.cache.ThreadCacheTable;
import org.vramkit.pool.caching.internal.heap.Heap;

/**
 * Forgets closed streams: a program may make one for every task, and what is known of them must not
 * pile up.
 */
public final class ClosedStreams {
  /** Guards the close of the allocator, and is only tried here. */
  public final ReentrantLock retirement = new ReentrantLock();

  private final StreamCaches streams;
  private final Heap heap;
  private final StatisticsReader statistics;
  private final ThreadCacheTable stripes;

  ClosedStreams(
      StreamCaches streams, Heap heap, StatisticsReader statistics, ThreadCacheTable stripes) {
    this.streams = streams;
    this.heap = heap;
    this.statistics = statistics;
    this.stripes = stripes;
  }

  /** Forgets those that hold nothing, unless somebody is at it or closes the allocator. */
  void retire() {
    if (!retirement.tryLock()) {
      return;
    }
    try {
      retireLocked();
    } finally {
      retirement.unlock();
    }
  }

  private void retireLocked() {
    List<StreamCache> retired = new ArrayList<>();
    for (StreamCache each : streams.all()) {
      if (each.stream.isClosed() && statistics.holdsNothing(each)) {
        each.ended = true;
        each.flush(heap);
        heap.settle(List.of(each));
        each.ended = !heap.hasUnsettled(each) && statistics.holdsNothing(each);
        if (each.ended) {
          each.progress.close();
          retired.add(each);
        }
      }
    }
    statistics.retire(retired, () -> streams.forget(retired));
    stripes.clear();
  }
}
