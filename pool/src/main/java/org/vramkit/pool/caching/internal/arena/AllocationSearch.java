package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.internal.cache.CacheCredit;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.StreamCaches;
import org.vramkit.pool.caching.internal.cache.ThreadCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.MoveTime;
import org.vramkit.pool.caching.internal.heap.Patience;
import org.vramkit.pool.caching.internal.heap.PendingFrees;
import org.vramkit.pool.caching.internal.heap.StreamState;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.stream.EventPool;
import org.vramkit.pool.caching.internal.stream.InFlightCalls;

/**
 * Where a block comes from once the first tier has none, nearest first: the stream's shared cache,
 * the free ranges of the device, all that caches and passed work give back, new or moved memory,
 * and at last the out-of-memory ladder, which searches again after every step, in other pools too.
 */
public final class AllocationSearch {
  /** How often it waits anew for what others have freed while it waited. */
  private static final int LOOKS = 16;

  /** How often an earned cache gives an eighth before all are emptied. */
  private static final int THINNINGS = 4;

  private final StreamCaches streams;
  private final Heap heap;
  private final PendingFrees pending;
  private final EventPool events;
  private final CacheCredit credit;
  private final CachingAllocatorOptions options;
  private final Supplier<OutOfMemoryHandler> handler;
  private final OutOfMemoryReporter reporter;
  private final SiblingArenas others;
  private final Admission admission;
  private final InFlightCalls calls;
  private final AllArenas everyPool;
  private final Ceiling ceiling;
  private final ObservedWaits waits;

  AllocationSearch(
      StreamCaches streams,
      Heap heap,
      PendingFrees pending,
      EventPool events,
      CacheCredit credit,
      CachingAllocatorOptions options,
      Supplier<OutOfMemoryHandler> handler,
      OutOfMemoryReporter reporter,
      SiblingArenas others,
      Admission admission,
      AllArenas everyPool,
      Ceiling ceiling) {
    this.streams = streams;
    this.heap = heap;
    this.pending = pending;
    this.events = events;
    this.credit = credit;
    this.options = options;
    this.handler = handler;
    this.reporter = reporter;
    this.others = others;
    this.admission = admission;
    this.calls = admission.calls;
    this.everyPool = everyPool;
    this.ceiling = ceiling;
    this.waits = new ObservedWaits(heap.books.observer);
  }

  /** A block for the stream, entered in the books. */
  Block find(StreamCache owner, long size, long requested, String tag) {
    return find(owner, size, requested, tag, UnaryOperator.identity());
  }

  /** One that begins at a multiple of so much: a part of what is large enough for any beginning. */
  Block findAligned(StreamCache owner, long size, long requested, long alignment, String tag) {
    long anywhere = size + alignment;
    Block shared = owner.takeSharedAligned(size, alignment);
    if (shared != null) {
      return entered(shared, requested, true, UnaryOperator.identity());
    }
    Block lying = isTooMuch(anywhere) ? findLying(owner, size, alignment) : null;
    return lying != null
        ? entered(lying, requested, false, UnaryOperator.identity())
        : find(owner, anywhere, requested, tag, block -> cut(block, alignment, size));
  }

  /** Whether a limit forbids it beside what is live. Asks the driver only near the limit. */
  private boolean isTooMuch(long size) {
    return !heap.books.allows(size) && ceiling.refusalOf(size) != null;
  }

  /** A block of just this size, where what can be had happens to lie right; or null. */
  private @Nullable Block findLying(StreamCache owner, long size, long alignment) {
    poll();
    flush();
    heap.settle(streams.all());
    Block block = heap.grow(owner, size).block();
    if (block == null || block.isAligned(alignment)) {
      return block;
    }
    heap.free(block);
    return null;
  }

  /** Cuts a block in its own heap, which is that of another pool where that helped out. */
  private static Block cut(Block block, long alignment, long size) {
    return StreamCache.of(block).backing.cut(block, alignment, size);
  }

  /**
   * A block, entered in the books.
   *
   * @param part what of it is kept
   */
  private Block find(
      StreamCache owner, long size, long requested, String tag, UnaryOperator<Block> part) {
    return heap.mayEverHave(size)
        ? findBelowCeiling(owner, size, requested, tag, part)
        : entered(climb(owner, size, requested, tag, null), requested, false, part);
  }

  private Block findBelowCeiling(
      StreamCache owner, long size, long requested, String tag, UnaryOperator<Block> part) {
    long wanted = credit.isGenerous() ? ThreadCache.generousSize(size) : size;
    Block block = search(owner, wanted);
    if (block == null && !credit.covers(wanted)) {
      block = waitBriefly(owner, wanted);
    }
    if (block != null) {
      return entered(block, requested, true, part);
    }
    return entered(grow(owner, wanted, size, requested, tag), requested, false, part);
  }

  /**
   * A block of new or moved memory, and where there is none what the ladder finds; not in the
   * books.
   *
   * @param wanted bytes; the ladder is content with {@code size}
   */
  private Block grow(StreamCache owner, long wanted, long size, long requested, String tag) {
    Heap.Growth growth = heap.grow(owner, wanted);
    Block block = growth.block();
    return block == null ? climb(owner, size, requested, tag, growth.refusal()) : block;
  }

  /** A block of new memory that nobody has asked for yet, not in the books. */
  Block reserve(StreamCache owner, long size, long requested) {
    return heap.mayEverHave(size)
        ? grow(owner, size, size, requested, "")
        : climb(owner, size, requested, "", null);
  }

  /** Enters a block in the books of its owner, which may be of another pool that helped out. */
  private static Block entered(
      Block block, long requested, boolean hit, UnaryOperator<Block> part) {
    Block kept = block;
    try {
      kept = part.apply(block);
      StreamCache.of(kept).account(kept, requested, hit);
      return kept;
    } catch (RuntimeException | Error e) {
      giveBack(kept);
      throw e;
    }
  }

  /** A block that nobody gets after all goes home. */
  private static void giveBack(@Nullable Block block) {
    if (block != null) {
      StreamCache.of(block).backing.takeBack(block);
    }
  }

  /** What can be had without taking memory; emptying caches unless they have earned to stay. */
  private @Nullable Block search(StreamCache owner, long size) {
    long begin = credit.searchBegins();
    Block block = findNear(owner, size);
    if (block == null && !credit.covers(size)) {
      block = credit.isBusy() ? findThinned(owner, size) : null;
      if (block == null) {
        block = findFlushed(owner, size);
      }
    }
    try {
      if (credit.searchEnds(begin)) {
        credit.judge(this::countBusyStripes);
      }
    } catch (RuntimeException | Error e) {
      heap.free(block);
      throw e;
    }
    return block;
  }

  /** What can be had without disturbing any cache. */
  private @Nullable Block findNear(StreamCache owner, long size) {
    Block block = owner.takeShared(size);
    if (block != null) {
      return block;
    }
    poll();
    if (!credit.isBusy()) {
      block = heap.takeGood(owner, size);
      if (block != null) {
        return block;
      }
      settleForFit(owner, size);
    }
    return heap.take(owner, size);
  }

  /** What can be had once the thread's own cache has given some, a little at a time. */
  private @Nullable Block findThinned(StreamCache owner, long size) {
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
  private @Nullable Block findFlushed(StreamCache owner, long size) {
    flush();
    settleForFit(owner, size);
    Block block = heap.takeMerged(owner, size);
    if (block == null && options.steal() != StealPolicy.NEVER && heap.settleSome(streams.all())) {
      block = heap.takeMerged(owner, size);
    }
    if (block == null && options.steal() == StealPolicy.WITH_WAIT) {
      block = heap.steal(owner, size, streams.all(), events);
    }
    return block;
  }

  private int countBusyStripes() {
    int count = 0;
    for (StreamCache each : streams.all()) {
      count += each.countBusyStripes();
    }
    return Math.max(1, count);
  }

  /**
   * Asks the streams how far they have come where what they have passed may fit better, or merge
   * into what does.
   */
  private void settleForFit(StreamCache owner, long size) {
    Collection<? extends StreamState> asked =
        options.steal() == StealPolicy.NEVER
            ? List.of()
            : heap.askedFirst(owner, size, streams.all());
    if (!asked.isEmpty()) {
      MoveTime time = heap.moveTime;
      long begin = time.now();
      heap.settleSome(asked);
      time.asked(begin);
    }
  }

  /**
   * Asks the driver a few times more before memory is taken that is about to become free: streams
   * are often a few microseconds from passing what was freed last, and taking a page costs as much
   * as two dozen questions. See {@link Patience}.
   */
  private @Nullable Block waitBriefly(StreamCache owner, long size) {
    boolean alone = options.steal() == StealPolicy.NEVER;
    if (!isAnyUnsettled(alone, owner)) {
      return null;
    }
    List<StreamCache> asked = alone ? List.of(owner) : streams.all();
    int shortage = heap.shortage(owner, size);
    int questions = heap.questionsFor(shortage);
    while (questions > 0 && isAnyUnsettled(alone, owner)) {
      int streams = alone ? 1 : Math.min(Heap.MOST_ASKED, heap.countUnsettled());
      questions -= heap.patience.asked(streams);
      if (heap.settleMarks(asked, alone ? Integer.MAX_VALUE : streams)) {
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

  private boolean isAnyUnsettled(boolean alone, StreamCache owner) {
    return alone ? heap.hasUnsettled(owner) : heap.countUnsettled() > 0;
  }

  /** Takes back what closed allocations no longer wait for, and what was lost on its way. */
  void poll() {
    heap.freeStrays();
    if (!pending.isEmpty()) {
      heap.free(pending.poll());
    }
  }

  /** Empties the caches of all streams into the heap, where ranges merge; returns the bytes. */
  long flush() {
    long flushed = 0;
    for (StreamCache each : streams.all()) {
      flushed += each.flush(heap);
    }
    return flushed;
  }

  // ---- the ladder ----

  private Block climb(
      StreamCache owner,
      long size,
      long requested,
      String tag,
      @Nullable DeviceOutOfMemoryException refusal) {
    for (int attempt = 1; ; attempt++) {
      Climb climb = new Climb(owner, size, refusal);
      Block block = climb.allTheWay();
      if (block != null) {
        heap.books.retries.increment();
        return block;
      }
      refusal = climb.refusal;
      var report = reporter.report(owner, requested, size, tag, climb.log);
      int attempts = attempt;
      boolean again = admission.outside(() -> handler.get().handle(report, attempts));
      if (!again) {
        heap.books.outOfMemories.increment();
        heap.books.observer.outOfMemory(report);
        throw reporter.exception(report, refusal);
      }
      flush();
    }
  }

  /**
   * A block for a stream of another pool that is out of memory, not in the books yet; or null.
   *
   * @param waiting whether it may wait for work; if not, all others are held off
   */
  @Nullable Block help(StreamCache owner, long size, boolean waiting) {
    Climb climb = new Climb(owner, size, null);
    return waiting ? climb.steps() : climb.lookUndisturbed();
  }

  /**
   * Whether something was freed since that work of the device still uses, and may be waited for.
   */
  public boolean isMoreToPass() {
    return pending.isAwaitable() || streams.all().stream().anyMatch(heap::isAwaitable);
  }

  /** One way up the ladder. */
  private final class Climb {
    private final StreamCache owner;
    private final long size;
    private final List<String> log = new ArrayList<>();
    private @Nullable DeviceOutOfMemoryException refusal;
    private @Nullable Block found;
    private boolean inside;

    /** Whether work still used what was free as it looked alone: then too little is not all. */
    private boolean moreToPass;

    /** Whether all that is free would not be enough. */
    private boolean hopeless;

    Climb(StreamCache owner, long size, @Nullable DeviceOutOfMemoryException refusal) {
      this.owner = owner;
      this.size = size;
      this.refusal = refusal;
    }

    /** All steps, again and again while others free what has to be waited for. */
    @Nullable Block allTheWay() {
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

    @Nullable Block steps() {
      if (size <= heap.totalBytes) {
        credit.forfeit();
        flush();
        heap.settle(streams.all());
      }
      String refusedAs = ceiling.refusalOf(size);
      if (refusedAs != null) {
        log.add("nothing: " + refusedAs);
        hopeless = true;
        return null;
      }
      Block block = attempt("flush caches and settle streams");
      if (block == null && others.giveBack(heap.bytesToTake(owner, size))) {
        block = attempt("have other pools give back what they do not need");
      }
      if (block == null) {
        block = heap.steal(owner, size, streams.all(), events);
      }
      if (block == null) {
        log.add("steal from another stream: no range large enough");
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
        block = others.lend(owner.stream, size, true);
        if (block == null) {
          log.add("borrow from a private pool: not enough");
        }
      }
      return block;
    }

    /** Waits on the host, for one thing at a time, and no longer than it takes. */
    private @Nullable Block waits() {
      while (admission.outside(() -> waits.of(null, () -> pending.awaitCheapest(size)))) {
        heap.books.synchronizations.increment();
        poll();
        Block block = attempt("wait for a closed allocation that another stream used");
        if (block != null) {
          return block;
        }
      }
      List<StreamCache> busiest = new ArrayList<>(streams.all());
      busiest.removeIf(each -> !heap.isAwaitable(each));
      busiest.sort(Comparator.comparingLong(heap::unsettledBytes).reversed());
      for (StreamCache each : busiest) {
        admission.outside(
            () -> {
              waits.of(each.stream, each.progress::await);
              return true;
            });
        heap.settleAwaited(each);
        Block block = attempt("wait for stream 0x" + Long.toHexString(each.stream.getHandle()));
        if (block != null) {
          return block;
        }
      }
      return null;
    }

    /**
     * Looks while all others are held off. A block may lie in a cache that was emptied too early,
     * or be in the hands of a thread that carries it from one tier to the next, and memory in those
     * of one that is about to be refused as well: so only this look can tell that too little is
     * free. It waits for no work of the device, because others wait for it.
     */
    @Nullable Block lookAlone() {
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
        giveBack(found);
        throw e;
      } finally {
        if (!inside) {
          calls.begin();
        }
        inside = false;
      }
    }

    private @Nullable Block lookUndisturbed() {
      poll();
      flush();
      heap.settle(streams.all());
      String step = "look once more while nobody else allocates";
      Block block = attempt(step);
      if (block == null && others.giveBack(heap.bytesToTake(owner, size))) {
        block = attempt(step);
      }
      if (block == null) {
        block = heap.steal(owner, size, streams.all(), events);
      }
      if (block == null) {
        block = others.lend(owner.stream, size, false);
      }
      // Asked now: as soon as others go on, they may settle it, and it is no reason any more.
      moreToPass = block == null && (isMoreToPass() || others.isMoreToPass());
      return block;
    }

    private @Nullable Block attempt(String step) {
      Block block = heap.take(owner, size);
      if (block == null) {
        Heap.Growth growth = heap.grow(owner, size);
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
