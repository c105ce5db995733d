package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.cache.ArenaGate;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.StreamCaches;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.PendingBlocks;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.OwnCalls;

/** Returns free memory of a pool to the driver, and removes the state of closed streams. */
public final class Trimming {
  private final Heap heap;
  private final StreamCaches streams;
  private final PendingBlocks pending;
  private final ArenaGate gate;
  private final StatisticsReader statistics;
  private final CapturedStreams captured;
  private final PoolObserver observer;

  Trimming(
      Heap heap,
      StreamCaches streams,
      PendingBlocks pending,
      ArenaGate gate,
      StatisticsReader statistics,
      CapturedStreams captured) {
    this.heap = heap;
    this.streams = streams;
    this.pending = pending;
    this.gate = gate;
    this.statistics = statistics;
    this.captured = captured;
    this.observer = heap.books.observer;
  }

  /**
   * Gives free memory of this pool back until all pools together have reserved {@code keepBytes} at
   * most.
   *
   * @param waiting whether it waits for what is still used
   * @return bytes given back
   */
  public long giveBack(long keepBytes, boolean waiting) {
    return waiting ? giveBack(keepBytes, Waiter.STAYING) : giveBackFree(keepBytes);
  }

  private long giveBackFree(long keepBytes) {
    heap.free(pending.pollAll());
    streams.flush(heap);
    heap.settle(streams.all());
    return heap.release(keepBytes);
  }

  /** Has waits for the device happen. */
  @FunctionalInterface
  private interface Waiter {
    /** Waits without leaving the call, where this blocks no other thread. */
    Waiter STAYING =
        wait -> {
          wait.run();
          return true;
        };

    /** False if nothing is to be done afterwards. */
    boolean goesOnAfter(Runnable wait);
  }

  /**
   * The same with waits, during which others may look alone or close the allocator; from inside of
   * a call.
   */
  public void trim(long keepBytes) {
    captured.relaxed(() -> giveBack(keepBytes, this::waitOutside));
  }

  /** Trims until this pool alone has reserved at most {@code keepBytes}. */
  public void trimOwn(long keepBytes) {
    long others = heap.books.reserved() - heap.books.held();
    trim(keepBytes > Long.MAX_VALUE - others ? Long.MAX_VALUE : keepBytes + others);
  }

  /** Waits with others free to look alone or to close the allocator; from inside of a call. */
  private boolean waitOutside(Runnable wait) {
    return gate.outside(() -> Waiter.STAYING.goesOnAfter(wait)) && !gate.isShut();
  }

  /** Waits as well: for closed allocations that other streams use, then once for each stream. */
  private long giveBack(long keepBytes, Waiter waiter) {
    long given = giveBackFree(keepBytes);
    while (heap.books.reserved() > keepBytes && pending.isAwaitable()) {
      if (!waiter.goesOnAfter(this::awaitPending)) {
        return given;
      }
      heap.books.synchronizations.increment();
      heap.free(pending.pollAll());
      given += heap.release(keepBytes);
    }
    if (heap.books.reserved() <= keepBytes) {
      return given;
    }
    heap.settle(streams.all());
    for (StreamCache each : streams.all()) {
      if (heap.isAwaitable(each)) {
        if (!waiter.goesOnAfter(() -> awaiting(each.stream, each.progress::awaitIfOpen))) {
          return given;
        }
        each.progress.advanceIfClosed();
        heap.settleAwaited(each);
      }
    }
    return given + heap.release(keepBytes);
  }

  /**
   * Waits until the streams that this pool has served have done what they were given so far, also
   * where graphs hold its memory and nothing of it is settled.
   */
  public void awaitStreams() {
    captured.relaxed(
        () -> streams.all().stream().map(each -> each.stream).filter(this::await).count());
  }

  private boolean await(Stream stream) {
    if (captured.isUnasked(stream)) {
      return false;
    }
    if (!observer.awaiting(stream, () -> OwnCalls.awaitIfOpen(stream))) {
      awaitClosed(stream);
    }
    heap.books.synchronizations.increment();
    return true;
  }

  /** Waits for the device while no capture can begin, as the wait would spoil it. */
  private void awaitClosed(Stream stream) {
    if (gate.enter()) {
      try {
        if (!captured.isUnasked(stream)) {
          OwnCalls.awaitAll(stream.getDevice());
        }
      } finally {
        gate.leave();
      }
    }
  }

  /** Waits for all work, and leaves nothing that is free. */
  void giveAllBack() {
    giveBack(0, true);
    while (awaitPending()) {
      heap.free(pending.pollAll());
    }
    giveBack(0, true);
  }

  private boolean awaitPending() {
    return observer.awaiting(null, () -> pending.awaitCheapest(0));
  }

  private void awaiting(Stream stream, Runnable wait) {
    observer.awaiting(
        stream,
        () -> {
          wait.run();
          return true;
        });
  }

  /**
   * Forgets closed streams that hold nothing: a program may make one for every task.
   *
   * @param ending guards the close of the allocator; nothing is done while it is taken
   */
  void forgetClosedStreams(ReentrantLock ending) {
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
