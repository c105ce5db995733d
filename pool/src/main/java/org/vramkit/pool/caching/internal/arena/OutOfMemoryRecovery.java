package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.internal.cache.FilledCaches;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.StreamCaches;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Growth;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.PendingFrees;
import org.vramkit.pool.caching.internal.stream.InFlightCalls;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.Streams;

/**
 * The steps that are tried before an allocation fails, and the search after each of them: flush
 * caches and settle streams; have other pools give back; steal from another stream; wait for closed
 * allocations that other streams use, the cheapest first; wait for streams, the one with most to
 * give first; have other pools wait; look once more while all other calls are held off; ask the
 * user's handler. Then the allocation fails with a report.
 */
final class OutOfMemoryRecovery {
  /** How often the steps begin anew because other threads have freed memory meanwhile. */
  private static final int LOOKS = 16;

  private final StreamCaches streams;
  private final FilledCaches filled;
  private final Heap heap;
  private final PendingFrees pending;
  private final EventPool events;
  private final Supplier<OutOfMemoryHandler> handler;
  private final OutOfMemoryReporter reporter;
  private final SiblingArenas others;
  private final Admission admission;
  private final InFlightCalls calls;
  private final AllArenas everyPool;
  private final Ceiling ceiling;
  private final ObservedWaits waits;

  OutOfMemoryRecovery(
      StreamCaches streams,
      FilledCaches filled,
      Heap heap,
      PendingFrees pending,
      EventPool events,
      Supplier<OutOfMemoryHandler> handler,
      OutOfMemoryReporter reporter,
      SiblingArenas others,
      Admission admission,
      AllArenas everyPool,
      Ceiling ceiling) {
    this.streams = streams;
    this.filled = filled;
    this.heap = heap;
    this.pending = pending;
    this.events = events;
    this.handler = handler;
    this.reporter = reporter;
    this.others = others;
    this.admission = admission;
    this.calls = admission.calls;
    this.everyPool = everyPool;
    this.ceiling = ceiling;
    this.waits = new ObservedWaits(heap.books.observer);
  }

  /**
   * A block, which is not counted yet.
   *
   * @param refusal how the driver refused so far, if it did
   * @throws DeviceOutOfMemoryException if nothing helps, with a report
   */
  Block recover(
      StreamCache owner,
      long size,
      long requested,
      long alignment,
      String tag,
      @Nullable DeviceOutOfMemoryException refusal) {
    admission.outside(
        () -> {
          others.closeFinished();
          return true;
        });
    DeviceOutOfMemoryException last = refusal;
    for (int attempt = 1; ; attempt++) {
      Attempt current = new Attempt(owner, size, alignment, last);
      Block block = current.run();
      if (block != null) {
        heap.books.retries.increment();
        return block;
      }
      last = current.refusal;
      var report = reporter.report(owner, requested, size, alignment, tag, current.log);
      int attempts = attempt;
      boolean again = admission.outside(() -> handler.get().handle(report, attempts));
      if (!again) {
        heap.books.outOfMemories.increment();
        heap.books.observer.outOfMemory(report);
        throw reporter.exception(report, last);
      }
      filled.flush(heap);
    }
  }

  /** Whether work of the device still uses freed memory, and may be waited for. */
  boolean isMoreToPass() {
    return pending.isAwaitable() || streams.all().stream().anyMatch(heap::isAwaitable);
  }

  /** All steps up to the user's handler. */
  private final class Attempt {
    private final StreamCache owner;
    private final long size;
    private final long alignment;
    private final List<String> log = new ArrayList<>();
    private @Nullable DeviceOutOfMemoryException refusal;
    private @Nullable Block found;
    private boolean inside;

    /** Whether work still used freed memory when this looked alone: then too little is not all. */
    private boolean moreToPass;

    /** Whether all that is free would not be enough. */
    private boolean hopeless;

    Attempt(
        StreamCache owner,
        long size,
        long alignment,
        @Nullable DeviceOutOfMemoryException refusal) {
      this.owner = owner;
      this.size = size;
      this.alignment = alignment;
      this.refusal = refusal;
    }

    @Nullable Block run() {
      Block block = steps();
      for (int i = 0; block == null && !hopeless && i < LOOKS; i++) {
        block = lookAlone();
        if (block != null || !moreToPass) {
          return block;
        }
        block = steps();
      }
      return block;
    }

    private @Nullable Block steps() {
      if (size <= heap.totalBytes) {
        gather();
      }
      String refusedAs = ceiling.refusalOf(size);
      if (refusedAs != null) {
        log.add("nothing: " + refusedAs);
        hopeless = true;
        return null;
      }
      Block block = search("flush caches and settle streams");
      if (block == null && others.giveBack(heap.bytesToTake(size))) {
        block = search("have other pools give back what they do not need");
      }
      if (block == null) {
        block = steal();
      }
      if (block == null) {
        log.add("steal from another stream: no range large enough");
        block = awaitUses();
      }
      if (block == null) {
        block = awaitStreams();
      }
      if (block == null && others.waitAndGiveBack()) {
        block = search("wait for streams of other pools");
      }
      return block;
    }

    private void gather() {
      if (!pending.isEmpty()) {
        heap.free(pending.poll());
      }
      filled.flush(heap);
      heap.settle(streams.all());
    }

    private @Nullable Block steal() {
      return heap.steal(owner, size, alignment, streams.all(), events);
    }

    private @Nullable Block awaitUses() {
      while (admission.outside(() -> waits.of(null, () -> pending.awaitCheapest(size)))) {
        heap.books.synchronizations.increment();
        heap.free(pending.poll());
        Block block = search("wait for a closed allocation that another stream used");
        if (block != null) {
          return block;
        }
      }
      return null;
    }

    private @Nullable Block awaitStreams() {
      List<StreamCache> busiest = new ArrayList<>(streams.all());
      busiest.removeIf(each -> !heap.isAwaitable(each));
      busiest.sort(Comparator.comparingLong(heap::unsettledBytes).reversed());
      for (StreamCache each : busiest) {
        admission.outside(
            () -> {
              waits.of(each.stream, each.progress::awaitIfOpen);
              return true;
            });
        each.progress.advanceIfClosed();
        heap.settleAwaited(each);
        Block block = search("wait for stream " + Streams.nameOf(each.stream));
        if (block != null) {
          return block;
        }
      }
      return null;
    }

    /**
     * Looks while all other calls are held off. A block may lie in a cache that was emptied too
     * early, or a thread may carry it from a cache to the heap, so only this look can tell that too
     * little is free. It waits for no work of the device, because the others wait for it.
     */
    private @Nullable Block lookAlone() {
      calls.leave();
      try {
        return everyPool.quietly(
            () -> {
              // So that a close waits for what is found.
              calls.begin();
              inside = true;
              admission.requireOpen();
              found = lookUndisturbed();
              return found;
            });
      } catch (RuntimeException | Error e) {
        heap.free(found);
        throw e;
      } finally {
        if (!inside) {
          calls.begin();
        }
        inside = false;
      }
    }

    private @Nullable Block lookUndisturbed() {
      gather();
      String step = "look once more while no other thread allocates";
      Block block = search(step);
      if (block == null && others.giveBack(heap.bytesToTake(size))) {
        block = search(step);
      }
      if (block == null) {
        block = steal();
      }
      // Asked now: as soon as others go on, they may settle it, and it is no reason any more.
      moreToPass = block == null && (isMoreToPass() || others.isMoreToPass());
      return block;
    }

    private @Nullable Block search(String step) {
      Block block = heap.take(owner, size, alignment);
      if (block == null) {
        Growth growth = heap.grow(owner, size, alignment);
        block = growth.block();
        if (growth.refusal() != null) {
          refusal = growth.refusal();
        }
      }
      if (block == null) {
        log.add(step + ": not enough");
      }
      return block;
    }
  }
}
