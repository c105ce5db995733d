package org.vramkit.pool.caching.internal.arena;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.internal.cache.CacheBacking;
import org.vramkit.pool.caching.internal.cache.CachingAllocation;
import org.vramkit.pool.caching.internal.cache.EmptyAllocation;
import org.vramkit.pool.caching.internal.cache.FilledCaches;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.StreamCaches;
import org.vramkit.pool.caching.internal.cache.ThreadCache;
import org.vramkit.pool.caching.internal.cache.ThreadCacheTable;
import org.vramkit.pool.caching.internal.cache.WatchChoice;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.MoveBudget;
import org.vramkit.pool.caching.internal.heap.PendingFrees;
import org.vramkit.pool.caching.internal.history.HistoryRing;
import org.vramkit.pool.caching.internal.history.HistoryWriter;
import org.vramkit.pool.caching.internal.leak.LeakDetector;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;
import org.vramkit.pool.caching.internal.stats.TagAccount;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.caching.internal.stream.InFlightCalls;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.StackRoom;
import org.vramkit.pool.support.Streams;

/**
 * One pool of an allocator, with tiers, segments and streams' caches of its own: the default one,
 * or the inside of a private one. Safe for any thread. How all floors work together is told in
 * {@link org.vramkit.pool.caching.internal}.
 */
public final class Arena implements CacheBacking {
  /** Stripes per processor, so that two busy threads rarely meet in one. */
  private static final int STRIPES_PER_PROCESSOR = 2;

  private static final int MAX_STRIPES = 64;

  /** The largest block that a thread cache keeps in front of its bins, over virtual memory. */
  private static final long FRONT_BYTES = 8 * ByteSize.MIB;

  /**
   * What all pools of an allocator have in common.
   *
   * @param handler who is asked before an allocation fails
   * @param observer who hears of what is done beside the hot path
   * @param history who notes events; null if nobody does
   * @param leaks who watches handles
   */
  public record Shared(
      Device device,
      CachingAllocatorOptions options,
      EventPool events,
      CapturedStreams captured,
      MoveBudget moveBudget,
      Supplier<OutOfMemoryHandler> handler,
      PoolObserver observer,
      @Nullable HistoryRing history,
      LeakDetector leaks) {}

  /** Makes the memory beneath a pool. */
  @FunctionalInterface
  public interface HeapFactory {
    Heap create(ReservedMemory books, Block.Table numbers);
  }

  /** The number of the private pool that this is the inside of; 0 for the default pool. */
  final long poolId;

  final Device device;

  public final Heap heap;

  public final StreamCaches streams;

  public final PendingFrees pending;

  public final InFlightCalls calls = new InFlightCalls();

  public final Admission admission;

  public final StatisticsReader statistics;

  public final Trimming trimming;

  public final OtherUsers users;

  private final AllocationSearch search;

  private final OutOfMemoryRecovery recovery;

  private final FilledCaches filled = new FilledCaches();

  /** Null where all memory is kept. */
  public final @Nullable Decay decay;

  public final ClosedStreams closedStreams;

  private final MemoryObserver observer;

  private final SizeRules rules;

  private final ThreadCacheTable stripes;

  private final UsageGauge gauge;

  private final CachingAllocatorOptions options;

  private final CapturedStreams captured;
  private final @Nullable HistoryRing history;
  private final LeakDetector leaks;
  private final WatchChoice watchChoice;

  /** How many captures and graphs hold its memory, if this is the inside of a private pool. */
  private final AtomicInteger graphs = new AtomicInteger();

  /**
   * A pool without memory yet.
   *
   * @param books of the memory that it reserves
   * @param others what it turns to where it is out of memory
   * @param decay of all pools, made for the default one; null where all memory is kept
   */
  public Arena(
      long poolId,
      Shared shared,
      ThreadCacheTable stripes,
      UsageGauge gauge,
      ReservedMemory books,
      HeapFactory heap,
      AllArenas pools,
      SiblingArenas others,
      Function<Arena, @Nullable Decay> decay) {
    this.poolId = poolId;
    this.device = shared.device();
    this.options = shared.options();
    this.captured = shared.captured();
    this.history = shared.history();
    this.leaks = shared.leaks();
    this.watchChoice = leaks.choice();
    this.stripes = stripes;
    this.gauge = gauge;
    this.observer = device.getMemoryObserver();
    this.rules = new SizeRules(options.roundingDivisions());
    this.pending = new PendingFrees(shared.events(), gauge, this::isUnasked, shared.observer());
    Block.Table numbers = new Block.Table();
    this.heap = heap.create(books, numbers);
    this.streams = new StreamCaches(stream -> newStreamHeap(stream, shared.events(), numbers));
    boolean isMain = poolId == 0;
    this.statistics =
        new StatisticsReader(
            streams, this.heap, pending, gauge, isMain ? pools::privateReaders : List::of);
    this.admission = new Admission(poolId, device, calls, streams, this.heap);
    this.users = new OtherUsers(device, this.heap, observer);
    this.recovery =
        new OutOfMemoryRecovery(
            streams,
            filled,
            this.heap,
            pending,
            shared.events(),
            shared.handler(),
            new OutOfMemoryReporter(device, this.heap, poolId, pools),
            others,
            admission,
            pools,
            new Ceiling(this.heap, statistics, isMain ? statistics : pools.total()));
    this.search =
        new AllocationSearch(
            streams, filled, this.heap, pending, shared.events(), options, recovery);
    this.closedStreams = new ClosedStreams(streams, this.heap, statistics, stripes);
    this.trimming = new Trimming(streams, this.heap, pending, search, calls, captured);
    this.decay = decay.apply(this);
  }

  private StreamCache newStreamHeap(Stream stream, EventPool events, Block.Table numbers) {
    int processors = Runtime.getRuntime().availableProcessors() * STRIPES_PER_PROCESSOR;
    int stripeCount = Math.min(MAX_STRIPES, Integer.highestOneBit(2 * processors - 1));
    // In a segment a block that lies aside is a hole; over pages it is flushed out where it
    // matters.
    long largestFront = heap.isVirtual() ? FRONT_BYTES : 0;
    return new StreamCache(
        ours(stream), this, calls, options, gauge, events, numbers, largestFront, stripeCount);
  }

  private Stream ours(Stream stream) {
    Streams.refuseForeign(stream, device, "the allocator");
    return stream;
  }

  // ---- the hot path ----

  public Allocation allocate(long bytes, Stream stream, String tag) {
    return bytes > 0 && bytes <= SizeRules.MAX_REQUEST
        ? allocateHere(bytes, stream, tag)
        : allocateOdd(bytes, stream);
  }

  private Allocation allocateHere(long bytes, Stream stream, String tag) {
    long size = rules.round(bytes);
    CachingAllocation handle = new CachingAllocation(bytes);
    ThreadCache stripe = stripes.find(stream);
    if (stripe == null || !stripe.tryLock()) {
      return allocateFar(handle, null, stream, size, bytes, SizeRules.ALIGNMENT, tag);
    }
    Block block;
    try {
      block = stripe.take(size, bytes, tag);
    } finally {
      stripe.unlock();
    }
    if (block == null) {
      // Places in the table are dealt by hash: it may be another thread's, and then is not known.
      ThreadCache seen = stripe == stripe.heap.ownStripe() ? stripe : null;
      return allocateFar(handle, seen, stream, size, bytes, SizeRules.ALIGNMENT, tag);
    }
    handle.hold(block, block);
    return handle;
  }

  /** Tells the observer; where it fails, as that of a closed device does, nobody has the block. */
  private void tell(Block block, long bytes, Stream stream, String tag) {
    try {
      observer.allocated(block.address, bytes, stream, tag);
    } catch (RuntimeException | Error e) {
      giveUp(block);
      throw e;
    }
  }

  private static void giveUp(Block block) {
    StreamCache.of(block).give(block);
  }

  // The way of a close: CachingAllocation.close, ThreadCache.close.

  // ---- beside it ----

  /** The same for a multiple of some alignment, a power of two. */
  public Allocation allocate(long bytes, long alignment, Stream stream, String tag) {
    return alignment <= SizeRules.ALIGNMENT || bytes <= 0 || bytes > SizeRules.MAX_REQUEST / 2
        ? allocate(bytes, stream, tag)
        : allocateAlignedHere(bytes, alignment, stream, tag);
  }

  private Allocation allocateAlignedHere(long bytes, long alignment, Stream stream, String tag) {
    CachingAllocation handle = new CachingAllocation(bytes);
    return allocateFar(handle, null, stream, rules.round(bytes), bytes, alignment, tag);
  }

  /**
   * Reserves memory up front.
   *
   * @throws DeviceOutOfMemoryException if the device or the limit has too little
   */
  public void reserve(long bytes) {
    admission.inside(
        () -> {
          StreamCache owner = streams.of(device.getDefaultStream());
          new InitialMemory(heap, search, owner).take(rules.round(bytes), bytes);
          return true;
        });
  }

  private Allocation allocateOdd(long bytes, Stream stream) {
    if (bytes < 0) {
      throw new InvalidArgumentException("cannot allocate " + bytes + " bytes: negative");
    }
    if (bytes > SizeRules.MAX_REQUEST) {
      heap.books.outOfMemories.increment();
      throw new DeviceOutOfMemoryException(
          "cannot allocate " + bytes + " bytes: above 1 EiB only an overflow can be meant",
          bytes,
          DriverStatus.NONE,
          null);
    }
    return new EmptyAllocation(ours(stream));
  }

  /**
   * Where the stripe has nothing that fits, or hides, or is not known, or another thread holds it.
   *
   * @param seen this thread's stripe, which has nothing that fits; null in the other cases
   */
  private Allocation allocateFar(
      CachingAllocation handle,
      @Nullable ThreadCache seen,
      Stream stream,
      long size,
      long bytes,
      long alignment,
      String tag) {
    leaks.look();
    Block block = searchFar(seen, stream, size, bytes, alignment, tag);
    ThreadCache home = ThreadCache.of(block);
    if (home.wantsName(tag)) {
      try {
        home.enterName(block, tag);
      } catch (Error e) {
        giveUp(block);
        throw e;
      }
    }
    tell(block, bytes, stream, tag);
    handle.hold(block, leaks.watch(block, bytes));
    return handle;
  }

  private Block searchFar(
      @Nullable ThreadCache seen,
      Stream stream,
      long size,
      long bytes,
      long alignment,
      String tag) {
    StackRoom.forMiss();
    if (!calls.enter()) {
      throw admission.closedError();
    }
    try {
      // No closure where nothing is captured: it would be garbage with each miss.
      return captured.isAny()
          ? captured.relaxed(() -> allocateInside(seen, stream, size, bytes, alignment, tag))
          : allocateInside(seen, stream, size, bytes, alignment, tag);
    } finally {
      calls.leave();
    }
  }

  private Block allocateInside(
      @Nullable ThreadCache seen,
      Stream stream,
      long size,
      long bytes,
      long alignment,
      String tag) {
    StreamCache known = seen == null ? streams.of(stream) : seen.heap;
    if (seen == null) {
      // Where somebody hears of every block, all come this way.
      if (known.stream == stream && !known.isObserved) {
        stripes.remember(known.ownStripe());
      }
      Block near = known.takeNear(size, bytes, alignment);
      if (near != null) {
        return near;
      }
    }
    Streams.requireOpen(stream);
    StreamCache owner = streams.renew(known, stream);
    if (streams.isCrowded()) {
      closedStreams.retire();
    }
    rideDecay();
    heap.books.searches.increment();
    return search.find(owner, size, bytes, alignment, tag);
  }

  /** Gives memory back that nobody has asked for in a while, where it is due; mostly nothing. */
  public void rideDecay() {
    if (decay != null) {
      decay.ride();
    }
  }

  /** The same, also where another thread is at it; returns the bytes given back. */
  public long runDecay() {
    return decay == null ? 0 : decay.run();
  }

  /** The size of the block that a request takes. */
  public long sizeOf(long bytes) {
    return rules.round(bytes);
  }

  // ---- what caches ask for ----

  /** Takes back a block whose handle was closed, where somebody listens or other streams use it. */
  @Override
  public void free(Block block) {
    StackRoom.forMiss();
    StreamCache owner = StreamCache.of(block);
    try {
      observer.freed(block.address, owner.stream);
    } finally {
      if (block.isUsedElsewhere()) {
        freeLater(block, owner);
      } else {
        owner.give(block);
      }
    }
  }

  private void freeLater(Block block, StreamCache owner) {
    block.epoch = owner.progress.epoch();
    // Once it is pending another thread may have it any moment.
    ThreadCache home = ThreadCache.of(block);
    long requested = block.requested;
    long size = block.size;
    TagAccount account = block.account;
    home.noteFreeRequested(block);
    try {
      pending.add(block);
    } finally {
      home.discharge(requested, size, account);
    }
  }

  /** Takes blocks that no cache has room for, linked by {@code nextCached}. */
  @Override
  public void takeBack(Block first) {
    heap.free(first);
  }

  @Override
  public void filled(ThreadCache cache) {
    filled.add(cache);
  }

  @Override
  public void recordUse(Block block, Stream stream) {
    users.record(block, stream);
  }

  /**
   * Whether a stream must not be asked how far it has come: what is not known cannot be reused by
   * others, moved or given back. While graphs hold memory of a private pool, that goes for all its
   * streams: a launch uses what the streams have passed long ago.
   */
  @Override
  public boolean isUnasked(Stream stream) {
    return graphs.get() > 0 || captured.isUnasked(stream);
  }

  @Override
  public @Nullable HistoryWriter newHistoryWriter() {
    return history == null ? null : history.newWriter();
  }

  @Override
  public WatchChoice watchChoice() {
    return watchChoice;
  }

  @Override
  public void leaked() {
    heap.books.leaks.increment();
  }

  // ---- as the inside of a private pool ----

  /** A capture into this private pool begins, and with it a hold on its memory. */
  public void beginGraph() {
    graphs.incrementAndGet();
  }

  /** A graph is closed, or nothing came of its capture. */
  public void endGraph() {
    graphs.decrementAndGet();
  }

  /** How many captures and graphs hold its memory. */
  public int graphs() {
    return graphs.get();
  }

  /** Whether work still uses memory that was freed here, and may be waited for. */
  public boolean isMoreToPass() {
    return recovery.isMoreToPass();
  }

  // ---- its end ----

  /** Waits for all work, and leaves nothing. */
  public void giveAllBack() {
    if (!heap.isBroken()) {
      trimming.giveAllBack();
    }
    giveUpHeap();
  }

  public void giveUpHeap() {
    if (heap.isBroken()) {
      heap.abandon();
    } else {
      heap.close();
    }
    giveUpEvents();
  }

  public void giveUpEvents() {
    pending.giveUp();
    streams.all().forEach(each -> each.progress.close());
  }

  @Override
  public String toString() {
    return Admission.nameOf(poolId, device);
  }
}
