package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.cache.CacheTable;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.PendingBlocks;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.Gate;
import org.vramkit.pool.support.PoolDriverCalls;
import org.vramkit.pool.support.PoolLock;

/** Returns free memory of a pool to the driver, and removes the state of closed streams. */
public final class Trimming {
  private final Heap heap;
  private final CacheTable streams;
  private final PendingBlocks pending;
  private final Gate gate;
  private final StatisticsReader statistics;
  private final CapturedStreams captured;
  private final PoolObserver observer;

  Trimming(
      Heap heap,
      CacheTable streams,
      PendingBlocks pending,
      Gate gate,
      StatisticsReader statistics,
      CapturedStreams captured) {
    this.heap = heap;
    this.streams = streams;
    this.pending = pending;
    this.gate = gate;
    this.statistics = statistics;
    this.captured = captured;
    this.observer = heap.observer;
  }

  /**
   * Gives free memory of this pool back until all pools together reserve at most {@code keepBytes}.
   *
   * @param waiting whether to wait for work that uses freed memory
   * @return bytes given back
   */
  public long giveBack(long keepBytes, boolean waiting) {
    return waiting ? giveBack(keepBytes, Trimming::stay) : giveBackFree(keepBytes);
  }

  private long giveBackFree(long keepBytes) {
    heap.free(pending.pollAll());
    streams.flush(heap);
    heap.settle(streams.all());
    return heap.release(keepBytes);
  }

  /**
   * Gives free memory back, with waits, until all pools together reserve at most {@code keepBytes}.
   * Called inside a call; during waits other threads may hold or close the pool.
   */
  public void trim(long keepBytes) {
    captured.relaxed(() -> giveBack(keepBytes, this::waitOutside));
  }

  /** Trims until this pool alone reserves at most {@code keepBytes}. */
  public void trimOwn(long keepBytes) {
    long others = heap.limit.reserved() - heap.limit.held();
    trim(keepBytes > Long.MAX_VALUE - others ? Long.MAX_VALUE : keepBytes + others);
  }

  /**
   * Waits outside the gate, so that other threads may hold or close the pool. Called inside a call.
   */
  private boolean waitOutside(Runnable wait) {
    return gate.outside(() -> stay(wait)) && !gate.isShut();
  }

  /** Waits inside the gate, where this blocks no other thread. */
  private static boolean stay(Runnable wait) {
    wait.run();
    return true;
  }

  /**
   * Gives memory back, and waits where too little is free: for pending blocks, then once for each
   * stream.
   *
   * @param waiter performs a wait; returns false if the pool was closed meanwhile
   */
  private long giveBack(long keepBytes, Predicate<Runnable> waiter) {
    long given = giveBackFree(keepBytes);
    while (heap.limit.reserved() > keepBytes && pending.isAwaitable()) {
      if (!waiter.test(() -> awaitPending(0))) {
        return given;
      }
      takeAwaited();
      given += heap.release(keepBytes);
    }
    if (heap.limit.reserved() <= keepBytes) {
      return given;
    }
    heap.settle(streams.all());
    for (StreamCache each : streams.all()) {
      if (heap.isAwaitable(each)) {
        if (!waiter.test(() -> await(each))) {
          return given;
        }
        takeAwaited(each);
      }
    }
    return given + heap.release(keepBytes);
  }

  /**
   * Waits for all queued work of the streams that this pool has served, even if graphs hold its
   * memory.
   */
  public void awaitStreams() {
    captured.relaxed(
        () -> streams.all().stream().map(each -> each.stream).filter(this::await).count());
  }

  private boolean await(Stream stream) {
    if (captured.isUnqueryable(stream)) {
      return false;
    }
    if (!observer.awaiting(stream, () -> PoolDriverCalls.awaitIfOpen(stream))) {
      awaitClosed(stream);
    }
    heap.stats.add(Figure.SYNCHRONIZATIONS, 1);
    return true;
  }

  /**
   * Waits for the whole device inside the gate, so that no capture begins, which the wait would
   * invalidate.
   */
  private void awaitClosed(Stream stream) {
    gate.insideIfOpen(
        () -> {
          if (!captured.isUnqueryable(stream)) {
            PoolDriverCalls.awaitAll(stream.getDevice());
          }
        });
  }

  /** Waits for all work, and gives all free memory back. */
  void giveAllBack() {
    giveBack(0, true);
    while (awaitPending(0)) {
      heap.free(pending.pollAll());
    }
    giveBack(0, true);
  }

  // ---- waits, also of the out-of-memory recovery ----

  /**
   * Waits for one pending block, as {@link PendingBlocks#awaitCheapest} does; {@link
   * #takeAwaited()} follows.
   */
  boolean awaitPending(long size) {
    return observer.awaiting(null, () -> pending.awaitCheapest(size));
  }

  /** Frees the blocks of a wait for one, and counts it. */
  void takeAwaited() {
    heap.stats.add(Figure.SYNCHRONIZATIONS, 1);
    heap.free(pending.pollAll());
  }

  /** Waits for a stream, unless it is closed; {@link #takeAwaited(StreamCache)} follows. */
  boolean await(StreamCache stream) {
    return observer.awaiting(
        stream.stream,
        () -> {
          stream.progress.awaitIfOpen();
          return true;
        });
  }

  /** Settles the blocks of a stream after a wait for it, and counts the wait. */
  void takeAwaited(StreamCache stream) {
    stream.progress.advanceIfClosed();
    heap.settleAwaited(stream);
  }

  /**
   * Removes the state of closed streams that hold nothing, because a program may create a stream
   * for every task.
   *
   * @param ending guards the close of the allocator; does nothing if another thread holds it
   */
  void forgetClosedStreams(PoolLock ending) {
    if (!ending.tryLock()) {
      return;
    }
    try {
      List<StreamCache> gone = new ArrayList<>();
      for (StreamCache each : streams.all()) {
        if (each.stream.isClosed() && statistics.holdsNothing(each)) {
          each.ended = true;
          each.flush(heap);
          heap.settle(List.of(each));
          each.ended = !heap.hasUnsettled(each) && statistics.holdsNothing(each);
          if (each.ended) {
            if (!pending.isAwaited(each.progress)) {
              each.progress.close();
            }
            gone.add(each);
          }
        }
      }
      statistics.retire(gone, () -> streams.forget(gone));
    } finally {
      ending.unlock();
    }
  }
}
