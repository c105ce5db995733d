package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.owner.ProgramCode;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.history.HistoryRing;
import org.vramkit.pool.support.Gate;
import org.vramkit.pool.support.Remedies;
import org.vramkit.pool.support.Streams;
import org.vramkit.pool.support.UserError;

/**
 * Tries to find memory before an allocation fails, in steps with a search after each: flush caches
 * and settle streams; let other pools give memory back; steal from another stream; wait for pending
 * frees, the smallest sufficient one first; wait for streams, the one with the most unsettled bytes
 * first; let other pools wait for theirs; search again while all other calls are held off; call
 * reclaimers; call the user's handler. Then the allocation fails with a report.
 */
final class OutOfMemoryRecovery {
  /** How often the steps are repeated because work still uses freed memory. */
  private static final int LOOKS = 16;

  /** How many tags, and how many owners, the message names; the report has all. */
  private static final int MOST_NAMES = 3;

  /** How often reclaimers are called in a row, because one may report freed memory forever. */
  private static final int MOST_ROUNDS = 16;

  private final Arena arena;
  private final Heap heap;
  private final Gate gate;
  private final PoolRegistry pools;
  private final Device device;

  OutOfMemoryRecovery(Arena arena, PoolRegistry pools) {
    this.arena = arena;
    this.heap = arena.heap;
    this.gate = arena.gate;
    this.pools = pools;
    this.device = pools.device();
  }

  /**
   * Returns a block, which is not counted yet.
   *
   * @param refusal the driver's refusal so far; null if there was none
   * @throws AllocatorOutOfMemoryException if nothing helps, with a report
   */
  Block recover(
      StreamCache owner,
      long size,
      long requested,
      long alignment,
      String tag,
      @Nullable DeviceOutOfMemoryException refusal) {
    outside(
        () -> {
          pools.closeFinished();
          return true;
        });
    DeviceOutOfMemoryException last = refusal;
    List<RuntimeException> failures = new ArrayList<>();
    int rounds = 0;
    for (int attempt = 1; ; ) {
      Attempt current = new Attempt(owner, size, alignment, last);
      Block block = current.run();
      if (block != null) {
        heap.stats.add(Figure.RETRIES, 1);
        return block;
      }
      last = current.refusal;
      if (rounds++ < MOST_ROUNDS && reclaim(size, current.log, failures)) {
        arena.flush();
        continue;
      }
      rounds = 0;
      var report = report(owner, requested, size, alignment, tag, current.log);
      int attempts = attempt++;
      OutOfMemoryHandler handler = pools.shared.handler().get();
      boolean again =
          handler != OutOfMemoryHandler.NONE
              && outside(() -> UserError.callUser(() -> handler.handle(report, attempts)));
      if (!again) {
        heap.stats.add(Figure.OUT_OF_MEMORIES, 1);
        if (size <= heap.totalBytes && !heap.mayEverHave(size)) {
          heap.stats.add(Figure.REJECTIONS, 1);
        }
        heap.observer.outOfMemory(report);
        AllocatorOutOfMemoryException failed = exception(report, last);
        failures.forEach(each -> Batch.suppress(failed, each));
        throw failed;
      }
      arena.flush();
    }
  }

  /**
   * Calls reclaimers until they have freed enough. A private pool also calls those of the default
   * pool, unless its own limit is the reason of the refusal. None is called during a capture, which
   * forbids their copies.
   *
   * @param failures receives the exceptions of reclaimers
   * @return whether any memory was freed
   */
  private boolean reclaim(long size, List<String> log, List<RuntimeException> failures) {
    List<Reclaimer> asked = new ArrayList<>(arena.reclaimers());
    if (arena != pools.main && size <= heap.limit.own() - arena.statistics.leastLiveBytes()) {
      asked.addAll(pools.main.reclaimers());
    }
    if (asked.isEmpty() || !heap.mayEverHave(size) || pools.captured().isAny()) {
      return false;
    }
    long freed = outside(() -> reclaim(asked, size, failures));
    log.add("ask reclaimers: " + ByteSize.format(freed) + " freed");
    return freed > 0;
  }

  private static long reclaim(List<Reclaimer> asked, long size, List<RuntimeException> failures) {
    long freed = 0;
    for (Reclaimer each : asked) {
      try {
        long missing = size - freed;
        freed += missing > 0 ? UserError.callUser(() -> each.reclaim(missing)) : 0;
      } catch (RuntimeException e) {
        failures.add(e);
      }
    }
    return freed;
  }

  /**
   * Runs an action of any duration outside the gate, so that other threads may hold or close the
   * pool meanwhile. The caller carries no block.
   *
   * @throws org.vramkit.api.error.ClosedException if the pool was closed meanwhile
   */
  private <T> T outside(Supplier<T> action) {
    T result = gate.outside(action);
    gate.requireStillOpen();
    return result;
  }

  /**
   * Returns the reason why even all free memory together cannot serve a request now; null if it
   * might. Calls the driver at most once.
   */
  private @Nullable String refusalOf(long size) {
    if (!heap.mayEverHave(size)) {
      return size > heap.totalBytes ? "larger than the device's memory" : "larger than the limit";
    }
    long rest =
        Math.min(
            obtainable() - pools.main.statistics.leastLiveBytes(),
            Math.max(heap.limit.held(), heap.limit.own()) - arena.statistics.leastLiveBytes());
    return size > rest
        ? "at most " + ByteSize.format(Math.max(0, rest)) + " can be available beside live memory"
        : null;
  }

  /**
   * Returns the bytes that could be reserved if all reserved memory returned. Memory that is
   * reserved may be used even if the limit was lowered below it.
   */
  private long obtainable() {
    // Without the lock, memory on its way to or from the driver would count twice or not at all.
    return heap.growth.change(
        () -> {
          long reserved = heap.limit.reserved();
          long free = Math.min(heap.freeBytes(), Long.MAX_VALUE - reserved);
          return Math.max(reserved, Math.min(heap.limit.bytes(), free + reserved));
        });
  }

  // ---- the report ----

  /**
   * Creates the report. Most figures cover all pools, because they share the limit and the device.
   */
  private OutOfMemoryReport report(
      StreamCache owner,
      long requested,
      long size,
      long alignment,
      String tag,
      List<String> steps) {
    Map<String, Long> liveByTag = new HashMap<>();
    Map<String, Long> pendingByStream = new HashMap<>();
    for (Arena each : pools.members()) {
      each.heap.free(each.pending.pollAll());
      addLive(each.heap, liveByTag);
      each.pending
          .bytesByStream()
          .forEach((stream, bytes) -> pendingByStream.merge(stream, bytes, Long::sum));
    }
    MemoryInfo info =
        Remedies.infoOf(device, e -> steps.add("query the device's free memory: " + e));
    return new OutOfMemoryReport(
        requested,
        size,
        Streams.nameOf(owner.stream),
        tag,
        info,
        heap.limit.bytes(),
        heap.limit.reserved(),
        largestFree(),
        pools.main.statistics.streams(),
        pendingByStream,
        liveByTag,
        requestedByOwner(),
        steps,
        new OutOfMemoryAdvice(arena, pools, size, alignment, info).find());
  }

  private Map<String, Long> requestedByOwner() {
    HistoryRing history = pools.shared.history().get();
    boolean known =
        pools.shared.leaks().keepsStacks() || (history != null && history.keepsStacks());
    return known
        ? LiveOwners.of(pools.members().stream().map(each -> each.heap), history)
        : Map.of();
  }

  private static void addLive(Heap heap, Map<String, Long> liveByTag) {
    heap.eachBlock(
        block -> {
          if (block.state() == Block.State.LIVE) {
            liveByTag.merge(block.tag(), block.size, Long::sum);
          }
        });
  }

  /** Returns the size of the largest free block of this pool. */
  private long largestFree() {
    long[] largest = {0};
    heap.eachBlock(
        block -> {
          if (block.place != Block.Place.TAKEN) {
            largest[0] = Math.max(largest[0], block.size);
          }
        });
    return largest[0];
  }

  /** Returns the tags with most live bytes, in parentheses; empty if no memory has a tag. */
  private static String tagsOf(OutOfMemoryReport report) {
    String named = largest(report.liveByTag(), "");
    return named.isEmpty() ? "" : " (" + named + ")";
  }

  /**
   * Returns the owners with most requested bytes, and the bytes whose owner is unknown; empty if no
   * owner is known.
   */
  private static String ownersOf(OutOfMemoryReport report) {
    String named = largest(report.requestedByOwner(), ProgramCode.NO_STACK);
    long unknown = report.requestedByOwner().getOrDefault(ProgramCode.NO_STACK, 0L);
    String rest = unknown == 0 ? "" : ", " + ProgramCode.NO_STACK + " " + ByteSize.format(unknown);
    return named.isEmpty() ? "" : "; owners: " + named + rest;
  }

  /** Lists the names with most bytes, but one. */
  private static String largest(Map<String, Long> bytesByName, String excepted) {
    return bytesByName.entrySet().stream()
        .filter(each -> !each.getKey().equals(excepted))
        .sorted(
            Map.Entry.<String, Long>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(MOST_NAMES)
        .map(each -> each.getKey() + " " + ByteSize.format(each.getValue()))
        .collect(Collectors.joining(", "));
  }

  /** Describes the allocations that are known to have been dropped; empty if there are none. */
  private static String leaksOf(List<Arena> pools) {
    long[] leaks = {0, 0};
    for (Arena each : pools) {
      each.heap.eachBlock(
          block -> {
            leaks[0] += block.leaked ? 1 : 0;
            leaks[1] += block.leaked ? block.size : 0;
          });
    }
    return leaks[0] == 0
        ? ""
        : "; "
            + Count.of(leaks[0], "allocation")
            + " of "
            + ByteSize.format(leaks[1])
            + (leaks[0] == 1 ? " was" : " were")
            + " dropped without close(): VRK-L001 in the log";
  }

  private AllocatorOutOfMemoryException exception(
      OutOfMemoryReport report, @Nullable DeviceOutOfMemoryException refusal) {
    long cached = 0;
    long free = 0;
    for (StreamStatistics stream : report.streams()) {
      cached += stream.cachedBytes();
      free += stream.fragmentBytes();
    }
    long suspended = pools.main.heap.stats.current(Figure.SUSPENDED);
    String leaks = leaksOf(pools.members());
    String limit =
        report.limitBytes() < device.getProperties().totalMemoryBytes()
            ? ", limit " + ByteSize.format(report.limitBytes())
            : "";
    String message =
        "out of memory on device "
            + device.getOrdinal()
            + (arena.id == 0 ? "" : " in private pool " + arena.id)
            + ": asked for "
            + ByteSize.format(report.requestedBytes())
            + (report.tag().isEmpty() ? "" : " for " + report.tag())
            + " on stream "
            + report.stream()
            + "; "
            + Remedies.wordsOf(report.device())
            + limit
            + "; reserved "
            + ByteSize.format(report.reservedBytes())
            + " = live "
            + ByteSize.format(report.liveBytes())
            + tagsOf(report)
            + " + pending "
            + ByteSize.format(report.pendingBytes())
            + " + cached "
            + ByteSize.format(cached)
            + " + free "
            + ByteSize.format(free)
            + " (largest "
            + ByteSize.format(report.largestFreeBytes())
            + ")"
            + (suspended == 0 ? "" : ", suspended " + ByteSize.format(suspended))
            + ownersOf(report)
            + leaks
            + "; to do: "
            + report.advice();
    return new AllocatorOutOfMemoryException(
        message, report, refusal == null ? DriverStatus.NONE : refusal.getStatus(), refusal);
  }

  // ---- the steps ----

  /** All steps before reclaimers and the user's handler. */
  private final class Attempt {
    private final StreamCache owner;
    private final long size;
    private final long alignment;
    private final List<String> log = new ArrayList<>();
    private @Nullable DeviceOutOfMemoryException refusal;
    private @Nullable Block found;
    private boolean inside;

    /**
     * True if work still used freed memory during {@link #lookAlone}. Then a later attempt may
     * succeed.
     */
    private boolean unfinishedWork;

    /** True if even all free memory together would not be enough. */
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
        if (block != null || !unfinishedWork) {
          return block;
        }
        block = steps();
      }
      return block;
    }

    private @Nullable Block steps() {
      if (size <= heap.totalBytes) {
        arena.gather();
      }
      String refusedAs = refusalOf(size);
      if (refusedAs != null) {
        log.add("skip recovery: " + refusedAs);
        hopeless = true;
        return null;
      }
      Block block = search("flush caches and settle streams");
      if (block == null && pools.giveBack(arena, heap.bytesToTake(size))) {
        block = search("return unneeded memory of other pools");
      }
      if (block == null) {
        block = steal();
      }
      if (block == null) {
        log.add("steal from another stream: no block large enough");
        block = awaitUses();
      }
      if (block == null) {
        block = awaitStreams();
      }
      if (block == null && pools.waitAndGiveBack(arena)) {
        block = search("wait for streams of other pools");
      }
      return block;
    }

    private @Nullable Block steal() {
      return heap.steal(owner, size, alignment, arena.streams.all(), pools.shared.events());
    }

    private @Nullable Block awaitUses() {
      while (outside(() -> arena.trimming.awaitPending(size))) {
        arena.trimming.takeAwaited();
        Block block = search("wait for a closed allocation that another stream used");
        if (block != null) {
          return block;
        }
      }
      return null;
    }

    private @Nullable Block awaitStreams() {
      List<StreamCache> busiest = new ArrayList<>(arena.streams.all());
      busiest.removeIf(each -> !heap.isAwaitable(each));
      busiest.sort(Comparator.comparingLong(heap::unsettledBytes).reversed());
      for (StreamCache each : busiest) {
        outside(() -> arena.trimming.await(each));
        arena.trimming.takeAwaited(each);
        Block block = search("wait for stream " + Streams.nameOf(each.stream));
        if (block != null) {
          return block;
        }
      }
      return null;
    }

    /**
     * Searches while all other calls are held off. Otherwise a block may have returned to a cache
     * after the flush, or a thread may be carrying it to the heap, and the search would not find
     * it. Never waits for work of the device, because all other calls wait meanwhile.
     */
    private @Nullable Block lookAlone() {
      gate.leave();
      try {
        return pools.quietly(
            () -> {
              // From here on a close of the pool waits for this call.
              gate.begin();
              inside = true;
              gate.requireStillOpen();
              found = lookUndisturbed();
              return found;
            });
      } catch (RuntimeException | Error e) {
        heap.free(found);
        throw e;
      } finally {
        if (!inside) {
          gate.begin();
        }
        inside = false;
      }
    }

    private @Nullable Block lookUndisturbed() {
      arena.gather();
      String step = "search again while no other thread allocates";
      Block block = search(step);
      if (block == null && pools.giveBack(arena, heap.bytesToTake(size))) {
        block = search(step);
      }
      if (block == null) {
        block = steal();
      }
      // Read while others wait; once they go on, they may settle the memory and take it.
      unfinishedWork =
          block == null && (arena.hasUnfinishedWork() || pools.hasUnfinishedWork(arena));
      return block;
    }

    private @Nullable Block search(String step) {
      Block block = heap.take(owner, size, alignment);
      try {
        block = block == null ? heap.grow(owner, size, alignment) : block;
      } catch (DeviceOutOfMemoryException e) {
        refusal = e;
      }
      if (block == null) {
        log.add(step + ": not enough");
      }
      return block;
    }
  }
}
