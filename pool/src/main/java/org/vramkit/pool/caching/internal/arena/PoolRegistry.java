package org.vramkit.pool.caching.internal.arena;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.SegmentSource;
import org.vramkit.pool.caching.internal.cache.CachingAllocation;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.MoveBudget;
import org.vramkit.pool.caching.internal.heap.SourceMemory;
import org.vramkit.pool.caching.internal.history.HistoryRing;
import org.vramkit.pool.caching.internal.leak.LeakDetector;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.OwnMemory;

/**
 * The pools of an allocator: the default pool, open private pools, and closed private pools that
 * still hold memory. The list is immutable and published, so readers need no lock.
 */
public final class PoolRegistry {
  /** Up to twice as many freed bytes stay claimed by a thread cache: see {@link UsageGauge}. */
  private static final long CLAIM_BYTES = 4 * ByteSize.MIB;

  /** The addresses that a private pool reserves first, as a fraction of the device's memory. */
  private static final double POOL_ADDRESSES = 1.0 / 64;

  /**
   * The objects that all pools share.
   *
   * @param pages whether memory is virtual
   * @param handler called before an allocation fails
   * @param observer observes all outside of the hot path
   * @param history supplies the history; null while none is kept
   * @param leaks tracks handles
   * @param refusals receives each out-of-memory error before its caller
   */
  public record Shared(
      Device device,
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

  /** Guards the close of the allocator; only tried by those who forget closed streams. */
  public final ReentrantLock ending = new ReentrantLock();

  /** The default pool. */
  public final Arena main;

  final Shared shared;

  /** Null where all memory is kept. */
  final @Nullable Decay decay;

  private final UsageGauge gauge = new UsageGauge(CLAIM_BYTES);

  /** Guards the list, and that no pool is new while all stand still. Before the locks of pools. */
  private final ReentrantLock entry = new ReentrantLock();

  private volatile List<Arena> privateOnes = List.of();
  private final AtomicLong lastId = new AtomicLong();

  /** The default pool alone, without memory. */
  public PoolRegistry(Shared shared) {
    this.shared = shared;
    CachingAllocatorOptions options = shared.options();
    this.main =
        new Arena(
            0, this, gauge, new ReservedMemory(options.limitBytes(), shared.observer()), null);
    this.decay =
        options.decay().isZero()
            ? null
            : new Decay(
                options.decay().toNanos(),
                options.clock(),
                main.heap,
                main.streams,
                main.pending,
                () -> drainEnded(0, false));
  }

  /** The number of the next private pool. */
  public long nextId() {
    return lastId.incrementAndGet();
  }

  /**
   * Makes a private pool, without memory. From inside of a call of the default pool, unless that is
   * shut.
   *
   * @param limitBytes most that it may reserve
   * @param source of its segments; null for the allocator's kind of memory
   * @param open false if the allocator is closed: then the pool is shut, and not listed
   */
  public Arena add(long id, long limitBytes, @Nullable SegmentSource source, boolean open) {
    entry.lock();
    try {
      ReservedMemory books = new ReservedMemory(limitBytes, main.heap.books, id);
      Arena pool = new Arena(id, this, new UsageGauge(gauge), books, source);
      if (open) {
        List<Arena> more = new ArrayList<>(privateOnes);
        more.add(pool);
        privateOnes = List.copyOf(more);
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

  /** The heap of a new pool. */
  Heap newHeap(
      boolean isMain, @Nullable SegmentSource source, ReservedMemory books, Block.Table numbers) {
    Device device = shared.device();
    CachingAllocatorOptions options = shared.options();
    MoveBudget budget = shared.moveBudget();
    if (source != null) {
      SourceMemory memory = new SourceMemory(source, device.getMemoryObserver());
      return Heap.overSegments(memory, null, options, books, budget, gauge::activePeak, numbers);
    }
    if (!shared.pages()) {
      OwnMemory memory = new OwnMemory(device);
      return Heap.overSegments(memory, device, options, books, budget, gauge::activePeak, numbers);
    }
    double addresses = isMain ? Heap.MOST_ADDRESSES : POOL_ADDRESSES;
    long first = (long) (addresses * device.getProperties().totalMemoryBytes());
    return Heap.overVirtualMemory(
        device, options, books, budget, gauge::activePeak, numbers, first);
  }

  /** The default pool first, then private ones. */
  public List<Arena> members() {
    List<Arena> all = new ArrayList<>();
    all.add(main);
    all.addAll(privateOnes);
    return all;
  }

  /** Looks at all members while they stand still, and none is new. */
  public <T> T standingStill(Function<List<Arena>, T> look) {
    CachingAllocation.requireStack();
    entry.lock();
    try {
      List<Arena> all = members();
      return Standstill.of(all, () -> look.apply(all));
    } finally {
      entry.unlock();
    }
  }

  /** Private pools that keep their memory to themselves. */
  public List<Arena> open() {
    return privateOnes.stream().filter(each -> !each.isEnded()).toList();
  }

  private List<Arena> ended() {
    return privateOnes.stream().filter(Arena::isEnded).toList();
  }

  /** Records a use by an address; false if no pool has a live block there. */
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
    return privateOnes.stream().map(each -> each.statistics).toList();
  }

  /**
   * A private pool that keeps memory for itself.
   *
   * @param remedy has it give the memory back, in words that name it
   * @param freeBytes that would go back
   * @param isOfDevice whether they would go back to the device, not to a user's source
   */
  record Keeper(String remedy, long freeBytes, boolean isOfDevice) {}

  /** The private pools that keep memory from a pool, the one with most first. */
  List<Keeper> keepers(Arena asking) {
    return open().stream()
        .filter(each -> each != asking)
        .map(each -> new Keeper(each.remedy(), each.keptBytes(), each.isOfDevice()))
        .filter(each -> each.freeBytes() > 0)
        .sorted(Comparator.comparingLong(Keeper::freeBytes).reversed())
        .toList();
  }

  // ---- memory of others ----

  /**
   * Has other pools give back free memory that they need not keep, without waiting: ended ones, and
   * the default one for private ones. Called without a lock.
   *
   * @param bytes how much is enough
   * @return whether there was any
   */
  boolean giveBack(Arena asking, long bytes) {
    return giveBack(asking, Math.max(0, main.heap.books.reserved() - bytes), false);
  }

  /** Does the same for all that they need not keep, once the work that uses it is done. */
  boolean waitAndGiveBack(Arena asking) {
    return giveBack(asking, 0, true);
  }

  private boolean giveBack(Arena asking, long keepBytes, boolean waiting) {
    long given = drainEnded(keepBytes, waiting);
    return given + (asking == main ? 0 : main.trimming.giveBack(keepBytes, waiting)) > 0;
  }

  /** Returns whether work still uses something that others would give back. */
  boolean isMoreToPass(Arena asking) {
    return (asking != main && main.isMoreToPass())
        || ended().stream().anyMatch(Arena::isMoreToPass);
  }

  /**
   * Has ended pools give memory back until all pools have reserved {@code keepBytes} at most.
   *
   * @param waiting whether they wait for what is still used
   * @return bytes given back
   */
  public long drainEnded(long keepBytes, boolean waiting) {
    long given = 0;
    for (Arena each : ended()) {
      given += drain(each, keepBytes, waiting);
    }
    return given;
  }

  /**
   * Has an ended pool give memory back, and forgets it once it holds nothing. One that an error of
   * the JVM has broken gives its memory back with the allocator's close.
   */
  private long drain(Arena pool, long keepBytes, boolean waiting) {
    if (pool.heap.isBroken()) {
      return 0;
    }
    long given = pool.trimming.giveBack(keepBytes, waiting);
    if (pool.suspending.dropUnused()) {
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
          () -> privateOnes = privateOnes.stream().filter(each -> each != pool).toList());
    } finally {
      entry.unlock();
    }
  }

  /** Ends a pool that has no use any more. */
  void end(Arena pool) {
    // Once the allocator is closed it gives all back itself.
    if (main.gate.enter()) {
      try {
        pool.gate.shut();
        shared.captured().relaxed(() -> drain(pool, 0, true));
      } finally {
        main.gate.leave();
      }
    }
  }

  /** Ends what threads left open in private pools that have finished. Not from inside of a call. */
  public void closeFinished() {
    privateOnes.forEach(Arena::closeFinished);
  }

  /** Ends all private pools, whatever scopes are open. */
  public void close() {
    for (Arena each : privateOnes) {
      each.gate.shut();
      if (each.heap.isBroken()) {
        each.giveAllBack();
        forget(each);
        continue;
      }
      drain(each, 0, true);
      // A call that waited outside comes in for a moment, only to learn that it is closed.
      while (privateOnes.contains(each) && each.statistics.isNothingHeld()) {
        each.gate.awaitDeserted();
        drain(each, 0, true);
      }
    }
    if (!privateOnes.isEmpty()) {
      throw new IllegalStateException("cannot close: " + privateOnes.get(0) + " is in use");
    }
  }

  /** Returns whether an error of the JVM came in the middle of a change of some pool. */
  public boolean isAnyBroken() {
    return members().stream().anyMatch(each -> each.heap.isBroken());
  }

  /** Refuses an end of the allocator as long as graphs use memory of it. */
  public void requireNoGraphs() {
    for (Arena each : privateOnes) {
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

  // ---- one moment ----

  /**
   * Does something while no call is under way in any pool, no hit happens, and all that is free
   * lies in the heaps. Frees go on. Not from inside of a call.
   */
  public <T> T quietly(Supplier<T> action) {
    main.gate.hold();
    try {
      return Standstill.holding(
          privateOnes, each -> each.gate.hold(), each -> each.gate.resume(), action);
    } finally {
      main.gate.resume();
    }
  }

  /**
   * Begins a capture while no call of any pool is under way. Closes go on meanwhile: none of them
   * marks a stream that is captured the moment after.
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
