package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.units.Count;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.SegmentSource;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.MemoryLimit;
import org.vramkit.pool.caching.internal.heap.MemorySource;
import org.vramkit.pool.caching.internal.heap.MoveBudget;
import org.vramkit.pool.caching.internal.heap.SourceMemory;
import org.vramkit.pool.caching.internal.history.HistoryRing;
import org.vramkit.pool.caching.internal.leak.LeakDetector;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.Option;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.DriverMemory;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.PoolDriverCalls;
import org.vramkit.pool.support.PoolHealth;
import org.vramkit.pool.support.PoolLock;
import org.vramkit.pool.support.Stats;

/**
 * The pools of an allocator: the default pool, open private pools, and closed private pools that
 * still hold memory. The list is immutable and published, so readers need no lock.
 */
public final class PoolRegistry {
  /**
   * The size of the addresses that a private pool reserves first, as a fraction of the device's
   * memory.
   */
  private static final double POOL_ADDRESSES = 1.0 / 64;

  /**
   * The parts that all pools share.
   *
   * @param health of all pools, because they share locks
   * @param growth held while memory is taken, moved or returned
   * @param pages whether pools use virtual memory
   * @param handler supplies the handler to call before an allocation fails
   * @param observer notified of events beyond the hot path
   * @param history supplies the history; supplies null while none is kept
   * @param leaks tracks handles
   * @param refusals applied to each out-of-memory error before it is thrown
   */
  public record Shared(
      Device device,
      PoolHealth health,
      PoolLock growth,
      boolean pages,
      CachingAllocatorOptions options,
      EventPool events,
      CapturedStreams captured,
      MoveBudget moveBudget,
      Supplier<OutOfMemoryHandler> handler,
      PoolObserver observer,
      Supplier<@Nullable HistoryRing> history,
      LeakDetector leaks,
      UnaryOperator<AllocatorOutOfMemoryException> refusals) {}

  /** Held during the close of the allocator. Threads that remove closed streams only try it. */
  public final PoolLock ending;

  public final Arena main;

  final Shared shared;

  /** Null if idle memory is never returned. */
  final @Nullable Decay decay;

  private final UsageGauge gauge = new UsageGauge();

  /**
   * Guards the list of pools. Held while all pools stand still, so that none is added. Acquired
   * before the locks of pools.
   */
  private final PoolLock entry;

  private volatile List<Arena> privatePools = List.of();

  /** True while an ended private pool may hold memory. */
  volatile boolean hasEnded;

  private final AtomicLong lastId = new AtomicLong();

  /** Creates the default pool, without memory. */
  public PoolRegistry(Shared shared) {
    this.shared = shared;
    this.ending = new PoolLock(shared.health());
    this.entry = new PoolLock(shared.health());
    CachingAllocatorOptions options = shared.options();
    this.main =
        new Arena(
            0,
            this,
            gauge,
            new MemoryLimit(options.get(Option.LIMIT), new Stats(), gauge::activePeak),
            null);
    this.decay =
        options.isDefault(Option.DECAY)
            ? null
            : new Decay(
                shared.health(),
                options.get(Option.DECAY).toNanos(),
                options.get(Option.CLOCK),
                main.heap,
                main.streams,
                main.pending,
                () -> drainEnded(0, false));
  }

  public long nextId() {
    return lastId.incrementAndGet();
  }

  /**
   * Adds a private pool, without memory. Called inside a call of the default pool, unless that is
   * shut.
   *
   * @param limitBytes the most bytes that the pool may reserve
   * @param source the source of its segments; null for the allocator's kind of memory
   * @param open false if the allocator is closed: the pool is then shut, and not listed
   */
  public Arena add(long id, long limitBytes, @Nullable SegmentSource source, boolean open) {
    entry.lock();
    try {
      MemoryLimit limit = main.heap.limit.ofPool(limitBytes);
      Arena pool = new Arena(id, this, new UsageGauge(gauge), limit, source);
      if (open) {
        List<Arena> more = new ArrayList<>(privatePools);
        more.add(pool);
        privatePools = List.copyOf(more);
        // The limit may have changed since it was read, while the pool was not listed yet.
        pool.adoptLimit();
      } else {
        pool.gate.shut();
      }
      return pool;
    } finally {
      entry.unlock();
    }
  }

  Heap newHeap(long id, @Nullable SegmentSource source, MemoryLimit limit, Block.Table numbers) {
    Device device = shared.device();
    CachingAllocatorOptions options = shared.options();
    Function<Heap, MemorySource> memory;
    if (source != null) {
      memory = MemorySource.ofSegments(new SourceMemory(source, device.getMemoryObserver()));
    } else if (shared.pages()) {
      double addresses = id == 0 ? Heap.MOST_ADDRESSES : POOL_ADDRESSES;
      long first = (long) (addresses * device.getProperties().totalMemoryBytes());
      memory = MemorySource.ofPages(device, options, first);
    } else {
      memory = MemorySource.ofSegments(new DriverMemory(device));
    }
    return new Heap(
        source == null ? device : null,
        shared.health(),
        shared.growth(),
        options,
        limit,
        shared.observer().ofPool(id),
        shared.moveBudget(),
        numbers,
        memory);
  }

  /** Returns the default pool and all listed private pools, in this order. */
  public List<Arena> members() {
    List<Arena> all = new ArrayList<>();
    all.add(main);
    all.addAll(privatePools);
    return all;
  }

  /** Applies a function to all pools while they stand still and none is added. */
  public <T> T standingStill(Function<List<Arena>, T> look) {
    return entry.change(
        () -> {
          List<Arena> all = members();
          return Standstill.of(all, () -> look.apply(all));
        });
  }

  private List<Arena> ended() {
    return privatePools.stream().filter(Arena::isEnded).toList();
  }

  /** Records a use of the block at an address; returns false if no pool has a live block there. */
  public boolean recordUse(long address, Stream stream) {
    main.requireUser(stream);
    for (Arena each : members()) {
      Boolean live = each.recordUse(address, stream);
      if (live != null) {
        return live;
      }
    }
    return false;
  }

  List<StatisticsReader> privateReaders() {
    return privatePools.stream().map(each -> each.statistics).toList();
  }

  // ---- memory of other pools ----

  /**
   * Lets other pools give back free memory, without a wait: ended pools, and on behalf of a private
   * pool also the default pool. Called without a lock.
   *
   * @param bytes bytes that are enough
   * @return whether any memory was given back
   */
  boolean giveBack(Arena asking, long bytes) {
    return giveBack(asking, Math.max(0, main.heap.limit.reserved() - bytes), false);
  }

  /**
   * Does the same as {@link #giveBack(Arena, long)} for all freed memory of these pools, after
   * waiting for the work that uses it.
   */
  boolean waitAndGiveBack(Arena asking) {
    return giveBack(asking, 0, true);
  }

  private boolean giveBack(Arena asking, long keepBytes, boolean waiting) {
    long given = drainEnded(keepBytes, waiting);
    return given + (asking == main ? 0 : main.trimming.giveBack(keepBytes, waiting)) > 0;
  }

  /** Returns whether work still uses freed memory that other pools would give back. */
  boolean hasUnfinishedWork(Arena asking) {
    return (asking != main && main.hasUnfinishedWork())
        || ended().stream().anyMatch(Arena::hasUnfinishedWork);
  }

  /**
   * Lets an ended pool give back the memory that a closed block has freed. Never waits: memory that
   * work still uses is given back by {@link #giveBackEnded}.
   */
  void giveBackAfterClose(Arena pool) {
    if (main.gate.tryEnter()) {
      try {
        shared.captured().relaxed(() -> giveFreeBack(pool));
      } finally {
        main.gate.leave();
      }
    }
  }

  /** Lets ended pools give back what is free, before an allocation takes more memory. */
  void giveBackEnded() {
    for (Arena each : privatePools) {
      if (each.isEnded()) {
        giveFreeBack(each);
      }
    }
  }

  private long giveFreeBack(Arena ended) {
    return ended.gate.isShut() && ended.hasFreeMemory() ? drain(ended, 0, false) : 0;
  }

  /**
   * Lets ended pools give memory back until all pools together reserve at most {@code keepBytes}.
   *
   * @param waiting whether to wait for work that uses freed memory
   * @return bytes given back
   */
  public long drainEnded(long keepBytes, boolean waiting) {
    long given = 0;
    for (Arena each : ended()) {
      given += drain(each, keepBytes, waiting);
    }
    return given;
  }

  /** Lets an ended pool give memory back, and removes it once it holds nothing. */
  private long drain(Arena pool, long keepBytes, boolean waiting) {
    long given = pool.trimming.giveBack(keepBytes, waiting);
    if (pool.suspension.dropUnused(waiting)) {
      given += pool.trimming.giveBack(keepBytes, waiting);
    }
    if (pool.tryDispose()) {
      forget(pool);
    }
    return given;
  }

  private void forget(Arena pool) {
    entry.lock();
    try {
      main.statistics.retire(
          pool.statistics,
          () -> privatePools = privatePools.stream().filter(each -> each != pool).toList());
      hasEnded = !ended().isEmpty();
    } finally {
      entry.unlock();
    }
  }

  /** Ends a pool after its last use. */
  void end(Arena pool) {
    // The close of the allocator gives the pool's memory back itself.
    if (shared.health().isBroken()) {
      return;
    }
    main.gate.insideIfOpen(
        () -> {
          pool.shut();
          hasEnded = true;
          shared.captured().relaxed(() -> drain(pool, 0, true));
        });
  }

  /**
   * Closes the scopes and captures that finished threads left open in private pools. Must not be
   * called from inside a call.
   */
  public void closeFinished() {
    privatePools.forEach(Arena::closeFinished);
  }

  /** Ends all private pools, even if scopes are open. */
  public void close() {
    for (Arena each : privatePools) {
      each.shut();
      drain(each, 0, true);
      // A call that waited outside the gate enters for a moment, before it finds the pool closed.
      while (privatePools.contains(each) && each.statistics.isNothingHeld()) {
        each.gate.awaitDeserted();
        drain(each, 0, true);
      }
    }
    if (!privatePools.isEmpty()) {
      throw new IllegalStateException("cannot close: " + privatePools.get(0) + " is in use");
    }
  }

  /** Gives back the memory of all pools of a broken allocator, including blocks in use. */
  public void abandon() {
    shared.captured().requireNone("close " + main + ", which is broken and waits for its device");
    List<Arena> all = members();
    all.forEach(each -> each.gate.shutBroken());
    PoolDriverCalls.awaitAll(shared.device());
    Batch.forEach(all, Arena::abandon);
  }

  /** Refuses to close the allocator while graphs hold memory of a private pool. */
  public void requireNoGraphs() {
    for (Arena each : privatePools) {
      if (each.graphs() > 0) {
        throw new IllegalStateException(
            "cannot close: "
                + Count.of(each.graphs(), "graph")
                + " captured into "
                + each
                + " may still be launched; close the graphs first");
      }
    }
  }

  // ---- quiet moments ----

  /**
   * Runs an action while no call is in progress in any pool, no hit happens, and the thread caches
   * are empty. Frees go on. Must not be called by a thread that is inside the gate of a pool.
   */
  public <T> T quietly(Supplier<T> action) {
    main.hold();
    try {
      return Standstill.holding(privatePools, Arena::hold, Arena::resume, action);
    } finally {
      main.resume();
    }
  }

  /**
   * Begins a capture while no call of any pool is in progress. Handles may be closed meanwhile, but
   * no close records an event into the captured stream.
   */
  public void beginCapture(Runnable begin) {
    quietly(
        () ->
            Standstill.holding(
                members(),
                each -> each.pending.lock.lock(),
                each -> each.pending.lock.unlock(),
                () -> {
                  begin.run();
                  return true;
                }));
  }

  public CapturedStreams captured() {
    return shared.captured();
  }

  public Device device() {
    return shared.device();
  }
}
