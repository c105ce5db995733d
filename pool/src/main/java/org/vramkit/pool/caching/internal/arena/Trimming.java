package org.vramkit.pool.caching.internal.arena;

import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.StreamCaches;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.PendingFrees;
import org.vramkit.pool.caching.internal.stream.InFlightCalls;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.Waits;

/** Gives free memory of a pool back to the driver. */
public final class Trimming {
  private final StreamCaches streams;
  private final Heap heap;
  private final PendingFrees pending;
  private final AllocationSearch search;
  private final InFlightCalls calls;
  private final CapturedStreams captured;
  private final ObservedWaits waits;

  Trimming(
      StreamCaches streams,
      Heap heap,
      PendingFrees pending,
      AllocationSearch search,
      InFlightCalls calls,
      CapturedStreams captured) {
    this.streams = streams;
    this.heap = heap;
    this.pending = pending;
    this.search = search;
    this.calls = calls;
    this.captured = captured;
    this.waits = new ObservedWaits(heap.books.observer);
  }

  /**
   * Gives free memory of this pool back until all pools together have reserved at most so much.
   *
   * @param waiting whether it waits for what is still used
   * @return bytes given back
   */
  public long giveBack(long keepBytes, boolean waiting) {
    return waiting ? giveBack(keepBytes, Waiter.STAYING) : giveBackFree(keepBytes);
  }

  /** Takes back blocks of closed allocations that no other stream uses any more. */
  void poll() {
    search.poll();
  }

  private long giveBackFree(long keepBytes) {
    search.poll();
    search.flush();
    heap.settle(streams.all());
    return heap.release(keepBytes);
  }

  /** Has waits for the device happen. */
  @FunctionalInterface
  private interface Waiter {
    /** Where nobody else is held up. */
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

  /** Does so until this pool alone has reserved at most so much. */
  public void trimOwn(long keepBytes) {
    long others = heap.books.reserved() - heap.books.held();
    trim(keepBytes > Long.MAX_VALUE - others ? Long.MAX_VALUE : keepBytes + others);
  }

  /** Waits with others free to look alone or to close the allocator; from inside of a call. */
  private boolean waitOutside(Runnable wait) {
    return calls.outside(() -> Waiter.STAYING.goesOnAfter(wait)) && !calls.isShut();
  }

  /** Waits as well: for closed allocations that other streams use, then once for each stream. */
  private long giveBack(long keepBytes, Waiter waiter) {
    long given = giveBackFree(keepBytes);
    while (heap.books.reserved() > keepBytes && pending.isAwaitable()) {
      if (!waiter.goesOnAfter(() -> waits.of(null, () -> pending.awaitCheapest(0)))) {
        return given;
      }
      heap.books.synchronizations.increment();
      search.poll();
      given += heap.release(keepBytes);
    }
    if (heap.books.reserved() <= keepBytes) {
      return given;
    }
    heap.settle(streams.all());
    for (StreamCache each : streams.all()) {
      if (heap.isAwaitable(each)) {
        if (!waiter.goesOnAfter(() -> waits.of(each.stream, each.progress::awaitIfOpen))) {
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
    if (!waits.of(stream, () -> Waits.awaitIfOpen(stream))) {
      awaitClosed(stream);
    }
    heap.books.synchronizations.increment();
    return true;
  }

  /** Waits for the device while no capture can begin, as the wait would spoil it. */
  private void awaitClosed(Stream stream) {
    if (calls.enter()) {
      try {
        if (!captured.isUnasked(stream)) {
          Waits.awaitAll(stream.getDevice());
        }
      } finally {
        calls.leave();
      }
    }
  }

  /** Waits for all work, and leaves nothing that is free. */
  void giveAllBack() {
    giveBack(0, true);
    while (waits.of(null, () -> pending.awaitCheapest(0))) {
      search.poll();
    }
    giveBack(0, true);
  }
}
