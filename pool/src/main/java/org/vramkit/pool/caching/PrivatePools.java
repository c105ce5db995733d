package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.caching.internal.arena.AllArenas;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.arena.Decay;
import org.vramkit.pool.caching.internal.arena.SiblingArenas;
import org.vramkit.pool.caching.internal.arena.StatisticsReader;
import org.vramkit.pool.caching.internal.cache.ThreadCacheTable;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.MoveBudget;
import org.vramkit.pool.caching.internal.heap.PendingFrees;
import org.vramkit.pool.caching.internal.heap.SourceMemory;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.OwnMemory;

/**
 * The pools of an allocator: the default one, those that are open, and those that have ended and
 * still hold memory. The monitor guards the list against other writers; readers take what was
 * published.
 */
final class PrivatePools implements AllArenas {
  /** How far a stripe may claim live bytes ahead: see {@link UsageGauge}. */
  private static final long CLAIM_BYTES = 4 * ByteSize.MIB;

  /** What a private pool over virtual memory reserves first, of the device's memory. */
  private static final double POOL_ADDRESSES = 1.0 / 64;

  private final Arena.Shared shared;
  private final UsageGauge gauge = new UsageGauge(CLAIM_BYTES);
  private final boolean pages;
  private final Arena main;
  private volatile List<PrivatePool> all = List.of();
  private long lastId;

  /**
   * The default pool alone.
   *
   * @param pages whether its memory is virtual
   * @param limitBytes of all pools together
   */
  PrivatePools(Arena.Shared shared, boolean pages, long limitBytes) {
    this.shared = shared;
    this.pages = pages;
    this.main =
        new Arena(
            0,
            shared,
            new ThreadCacheTable(),
            gauge,
            new ReservedMemory(limitBytes, shared.observer()),
            (books, numbers) -> ownHeap(Heap.MOST_ADDRESSES, books, numbers),
            this,
            besideDefault(),
            this::decayOf);
  }

  /** The inside of a private pool. */
  Arena newArena(long id, PrivatePoolOptions own) {
    SegmentSource source = own.source();
    return new Arena(
        id,
        shared,
        ThreadCacheTable.small(),
        new UsageGauge(gauge),
        new ReservedMemory(own.limitBytes(), main.heap.books),
        (books, numbers) ->
            source == null
                ? ownHeap(POOL_ADDRESSES, books, numbers)
                : Heap.overSegments(
                    new SourceMemory(source, shared.device().getMemoryObserver()),
                    null,
                    shared.options(),
                    books,
                    shared.moveBudget(),
                    gauge::activePeak,
                    numbers),
        this,
        besidePrivate(),
        each -> main.decay);
  }

  /**
   * A heap over memory of the device.
   *
   * @param addresses that it reserves first, as a multiple of the device's memory
   */
  private Heap ownHeap(double addresses, ReservedMemory books, Block.Table numbers) {
    Device device = shared.device();
    CachingAllocatorOptions options = shared.options();
    MoveBudget budget = shared.moveBudget();
    long first = (long) (addresses * device.getProperties().totalMemoryBytes());
    return pages
        ? Heap.overVirtualMemory(device, options, books, budget, gauge::activePeak, numbers, first)
        : Heap.overSegments(
            new OwnMemory(device), device, options, books, budget, gauge::activePeak, numbers);
  }

  private @Nullable Decay decayOf(Arena arena) {
    CachingAllocatorOptions options = shared.options();
    return options.decay().isZero()
        ? null
        : new Decay(options.decay().toNanos(), options.clock(), arena, this);
  }

  Arena main() {
    return main;
  }

  synchronized PrivatePool add(LongFunction<PrivatePool> factory) {
    PrivatePool pool = factory.apply(++lastId);
    List<PrivatePool> more = new ArrayList<>(all);
    more.add(pool);
    all = List.copyOf(more);
    return pool;
  }

  private synchronized void forget(PrivatePool pool) {
    Runnable removal = () -> all = all.stream().filter(each -> each != pool).toList();
    Arena core = pool.core();
    if (core == null) {
      removal.run();
    } else {
      main.statistics.retire(core.statistics, removal);
    }
  }

  /** Makes the peaks of one pool what it holds; those over all pools stay. */
  void resetPeaksOf(Arena core) {
    core.statistics.resetPeaks();
  }

  @Override
  public void eachPool(BiConsumer<Heap, PendingFrees> visitor) {
    members().forEach(each -> visitor.accept(each.heap, each.pending));
  }

  /** The default pool first, then what is inside of each private one that somebody has used. */
  List<Arena> members() {
    return Stream.concat(Stream.of(main), used()).toList();
  }

  @Override
  public StatisticsReader total() {
    return main.statistics;
  }

  @Override
  public @Nullable Keeper largestKeeper(long poolId) {
    return open().stream()
        .filter(each -> each.getId() != poolId)
        .map(each -> new Keeper(each.toString(), each.freeBytes()))
        .max(Comparator.comparingLong(Keeper::freeBytes))
        .orElse(null);
  }

  @Override
  public List<StatisticsReader> privateReaders() {
    return used().map(core -> core.statistics).toList();
  }

  /** What is inside of those that somebody has used. */
  private Stream<Arena> used() {
    return all.stream().map(PrivatePool::core).filter(core -> core != null);
  }

  /** Those that keep their memory to themselves. */
  List<PrivatePool> open() {
    return all.stream().filter(each -> !each.isEnded()).toList();
  }

  private List<PrivatePool> ended() {
    return all.stream().filter(PrivatePool::isEnded).toList();
  }

  /**
   * Has an ended pool give memory back until all pools have reserved at most so much, and forgets
   * it once it holds nothing.
   *
   * @return bytes given back
   */
  long drain(PrivatePool pool, long keepBytes, boolean waiting) {
    Arena core = pool.core();
    long given = core == null ? 0 : core.trimming.giveBack(keepBytes, waiting);
    if (pool.vanish()) {
      forget(pool);
    }
    return given;
  }

  /** Refuses an end of the allocator as long as graphs use memory of it. */
  void requireNoGraphs() {
    for (PrivatePool each : all) {
      Arena core = each.core();
      if (core != null && core.graphs() > 0) {
        throw new IllegalStateException(
            "cannot close: "
                + Count.of(core.graphs(), "graph")
                + " captured into "
                + each
                + " may still be launched; close the graphs first");
      }
    }
  }

  /** Begins a capture while no call of any pool is under way. */
  void beginCapture(Runnable begin) {
    quietly(
        () -> {
          beginBeside(members(), begin);
          return true;
        });
  }

  /** Closes go on meanwhile: none of them marks a stream that is captured the moment after. */
  private static void beginBeside(List<Arena> members, Runnable begin) {
    if (members.isEmpty()) {
      begin.run();
    } else {
      synchronized (members.get(0).pending) {
        beginBeside(members.subList(1, members.size()), begin);
      }
    }
  }

  /** A pool has no use any more. */
  void end(PrivatePool pool) {
    // Once the allocator is closed it gives all back itself.
    if (main.calls.enter()) {
      try {
        pool.shut();
        shared.captured().relaxed(() -> drain(pool, 0, true));
      } finally {
        main.calls.leave();
      }
    }
  }

  @Override
  public long drainEnded(long keepBytes, boolean waiting) {
    long given = 0;
    for (PrivatePool each : ended()) {
      given += drain(each, keepBytes, waiting);
    }
    return given;
  }

  @Override
  public <T> T quietly(Supplier<T> action) {
    main.admission.hold();
    try {
      return quietlyBeside(used().toList(), action);
    } finally {
      main.admission.letGo();
    }
  }

  private static <T> T quietlyBeside(List<Arena> inner, Supplier<T> action) {
    int held = 0;
    try {
      for (Arena each : inner) {
        each.admission.hold();
        held++;
      }
      return action.get();
    } finally {
      while (held > 0) {
        held--;
        inner.get(held).admission.letGo();
      }
    }
  }

  /** Ends all pools, whatever scopes are open. */
  void close() {
    for (PrivatePool each : all) {
      each.markClosed();
      drain(each, 0, true);
      // Whoever waited outside comes in for a moment, only to learn that it is closed.
      while (all.contains(each) && each.isEmpty()) {
        each.awaitDeserted();
        drain(each, 0, true);
      }
    }
    if (!all.isEmpty()) {
      throw new IllegalStateException("cannot close: " + all.get(0) + " is in use");
    }
  }

  /** The pools that the default one turns to: those that have ended. */
  private SiblingArenas besideDefault() {
    return new SiblingArenas() {
      @Override
      public boolean giveBack(long bytes) {
        return drainEnded(keeping(bytes), false) > 0;
      }

      @Override
      public boolean waitAndGiveBack() {
        return drainEnded(0, true) > 0;
      }

      @Override
      public boolean isMoreToPass() {
        return isMoreToPassInEnded();
      }
    };
  }

  private boolean isMoreToPassInEnded() {
    return ended().stream()
        .map(PrivatePool::core)
        .anyMatch(core -> core != null && core.isMoreToPass());
  }

  /** The pools that a private one turns to: the default one and those that have ended. */
  private SiblingArenas besidePrivate() {
    return new SiblingArenas() {
      @Override
      public boolean giveBack(long bytes) {
        long keep = keeping(bytes);
        return drainEnded(keep, false) + main.trimming.giveBack(keep, false) > 0;
      }

      @Override
      public boolean waitAndGiveBack() {
        return drainEnded(0, true) + main.trimming.giveBack(0, true) > 0;
      }

      @Override
      public boolean isMoreToPass() {
        return main.isMoreToPass() || isMoreToPassInEnded();
      }
    };
  }

  /** Does something while the allocator cannot be closed, nor looks alone. */
  <T> T inside(Supplier<T> action) {
    return main.admission.inside(action);
  }

  CapturedStreams captured() {
    return shared.captured();
  }

  Device getDevice() {
    return shared.device();
  }

  private long keeping(long bytes) {
    return Math.max(0, main.heap.books.reserved() - bytes);
  }
}
