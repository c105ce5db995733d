package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * Where a block comes from once the first tier has none, nearest first: the stream's shared cache,
 * the free ranges of the device, all that caches and passed work give back, new or moved memory,
 * and at last the out-of-memory ladder, which searches again after every step, in other pools too.
 */
final class MemorySearch {
  /** How often an earned cache gives an eighth before all are emptied. */
  private static final int THINNINGS = 4;

  private final StreamHeaps heaps;
  private final BlockHeap heap;
  private final PendingFrees pending;
  private final EventPool events;
  private final CacheCredit credit;
  private final CachingAllocatorOptions options;
  private final OutOfMemoryReporter reporter;
  private final OtherPools others;

  MemorySearch(
      StreamHeaps heaps,
      BlockHeap heap,
      PendingFrees pending,
      EventPool events,
      CacheCredit credit,
      CachingAllocatorOptions options,
      OutOfMemoryReporter reporter,
      OtherPools others) {
    this.heaps = heaps;
    this.heap = heap;
    this.pending = pending;
    this.events = events;
    this.credit = credit;
    this.options = options;
    this.reporter = reporter;
    this.others = others;
  }

  /** A block for the stream, entered in the books. */
  Block find(StreamHeap owner, long size, long requested) {
    long wanted = credit.isBusy() ? CacheStripe.generousSize(size) : size;
    Block block = search(owner, wanted);
    if (block == null && !credit.covers(wanted)) {
      block = waitBriefly(owner, wanted);
    }
    if (block != null) {
      owner.account(block, requested, true);
      return block;
    }
    BlockHeap.Growth growth = heap.grow(owner, wanted);
    block = growth.block();
    if (block == null) {
      credit.forfeit();
      block = climb(owner, size, requested, growth.refusal());
      heap.books.retries.increment();
    }
    // Which is another owner's where another pool had to help out.
    block.owner().account(block, requested, false);
    return block;
  }

  /** What can be had without taking memory; emptying caches unless they have earned to stay. */
  private @Nullable Block search(StreamHeap owner, long size) {
    long begin = credit.searchBegins();
    Block block = findNear(owner, size);
    if (block == null && !credit.covers(size)) {
      block = credit.isBusy() ? findThinned(owner, size) : null;
      if (block == null) {
        block = findFlushed(owner, size);
      }
    }
    if (credit.searchEnds(begin)) {
      credit.judge(this::countBusyStripes);
    }
    return block;
  }

  /** What can be had without disturbing any cache. */
  private @Nullable Block findNear(StreamHeap owner, long size) {
    Block block = owner.takeShared(size);
    if (block != null) {
      return block;
    }
    poll();
    settleForFit(owner, size);
    return heap.take(owner, size);
  }

  /** What can be had once the thread's own cache has given some, a little at a time. */
  private @Nullable Block findThinned(StreamHeap owner, long size) {
    for (int i = 0; i < THINNINGS; i++) {
      heap.free(owner.thin());
      Block block = heap.take(owner, size);
      if (block != null) {
        return block;
      }
    }
    return null;
  }

  /** What can be had without taking memory once the caches are emptied. */
  private @Nullable Block findFlushed(StreamHeap owner, long size) {
    flush();
    settleForFit(owner, size);
    Block block = heap.takeMerged(owner, size);
    if (block == null && options.steal() != StealPolicy.NEVER && heap.settle(heaps.all())) {
      block = heap.takeMerged(owner, size);
    }
    if (block == null && options.steal() == StealPolicy.WITH_WAIT) {
      block = heap.steal(owner, size, heaps.all(), events);
    }
    return block;
  }

  private int countBusyStripes() {
    int count = 0;
    for (StreamHeap each : heaps.all()) {
      count += each.countBusyStripes();
    }
    return Math.max(1, count);
  }

  /**
   * Asks the streams how far they have come where what they have passed may fit better, or merge
   * into what does.
   */
  private void settleForFit(StreamHeap owner, long size) {
    if (options.steal() != StealPolicy.NEVER && heap.settlesFirst(owner, size)) {
      heap.settle(heaps.all());
    }
  }

  /**
   * Asks the driver a few times more before memory is taken that is about to become free: streams
   * are often a few microseconds from passing what was freed last, and taking a page costs as much
   * as two dozen questions. See {@link Patience}.
   */
  private @Nullable Block waitBriefly(StreamHeap owner, long size) {
    List<StreamHeap> asked = options.steal() == StealPolicy.NEVER ? List.of(owner) : heaps.all();
    int shortage = heap.shortage(owner, size);
    int questions = heap.patience.questionsFor(shortage);
    for (int i = 0; i < questions && heap.hasUnsettled(asked); i++) {
      heap.patience.asked();
      if (heap.settleMarks(asked)) {
        Block block = heap.takeMerged(owner, size);
        int left = block == null ? heap.shortage(owner, size) : 0;
        heap.patience.saved(shortage - left);
        if (left == 0) {
          return block;
        }
        shortage = Math.min(shortage, left);
      }
    }
    return null;
  }

  /** Takes back what closed allocations no longer wait for. */
  void poll() {
    if (!pending.isEmpty()) {
      heap.free(pending.poll());
    }
  }

  /** Empties the caches of all streams into the heap, where ranges merge; returns the bytes. */
  long flush() {
    long flushed = 0;
    for (StreamHeap each : heaps.all()) {
      flushed += each.flush(heap);
    }
    return flushed;
  }

  // ---- the ladder ----

  private Block climb(
      StreamHeap owner, long size, long requested, @Nullable DeviceOutOfMemoryException refusal) {
    for (int attempt = 1; ; attempt++) {
      Climb climb = new Climb(owner, size, refusal);
      Block block = climb.steps();
      if (block != null) {
        return block;
      }
      refusal = climb.refusal;
      var report = reporter.report(owner, requested, size, climb.log);
      if (!options.outOfMemoryHandler().handle(report, attempt)) {
        heap.books.outOfMemories.increment();
        throw reporter.exception(report, refusal);
      }
      flush();
    }
  }

  /** A block for a stream of another pool that is out of memory, not in the books yet; or null. */
  @Nullable Block help(StreamHeap owner, long size) {
    return new Climb(owner, size, null).steps();
  }

  /** One way up the ladder. */
  private final class Climb {
    private final StreamHeap owner;
    private final long size;
    private final List<String> log = new ArrayList<>();
    private @Nullable DeviceOutOfMemoryException refusal;

    Climb(StreamHeap owner, long size, @Nullable DeviceOutOfMemoryException refusal) {
      this.owner = owner;
      this.size = size;
      this.refusal = refusal;
    }

    @Nullable Block steps() {
      flush();
      heap.settle(heaps.all());
      Block block = attempt("flush caches and settle streams");
      if (block == null && others.giveBack(heap.bytesToTake(owner, size))) {
        block = attempt("have other pools give back what they do not need");
      }
      if (block == null) {
        block = heap.steal(owner, size, heaps.all(), events);
        log.add("steal from another stream: " + (block == null ? "no range large enough" : "done"));
      }
      if (block == null) {
        block = waits();
      }
      return block != null ? block : turnToOthers();
    }

    private @Nullable Block turnToOthers() {
      Block block = null;
      if (others.waitAndGiveBack()) {
        block = attempt("wait for streams of other pools");
      }
      if (block == null && others.canLend()) {
        block = others.lend(owner.stream, size);
        log.add("borrow from a private pool: " + (block == null ? "not enough" : "done"));
      }
      return block;
    }

    /** Waits on the host, for one thing at a time, and no longer than it takes. */
    private @Nullable Block waits() {
      while (pending.awaitCheapest(size)) {
        heap.books.synchronizations.increment();
        poll();
        Block block = attempt("wait for a closed allocation that another stream used");
        if (block != null) {
          return block;
        }
      }
      List<StreamHeap> busiest = new ArrayList<>(heaps.all());
      busiest.removeIf(each -> !heap.isToPass(each));
      busiest.sort(Comparator.comparingLong(heap::unsettledBytes).reversed());
      for (StreamHeap each : busiest) {
        heap.await(each);
        Block block = attempt("wait for stream 0x" + Long.toHexString(each.stream.getHandle()));
        if (block != null) {
          return block;
        }
      }
      return null;
    }

    private @Nullable Block attempt(String step) {
      Block block = heap.take(owner, size);
      if (block == null) {
        BlockHeap.Growth growth = heap.grow(owner, size);
        block = growth.block();
        if (growth.refusal() != null) {
          refusal = growth.refusal();
        }
      }
      log.add(step + ": " + (block == null ? "not enough" : "done"));
      return block;
    }
  }
}
