package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.support.ForeignStream;
import org.vramkit.pool.support.OwnMemory;
import org.vramkit.pool.support.Streams;

/**
 * Memory of one device, kept and handed out again instead of going back to the driver. Safe for any
 * thread; allocations may be closed by any thread.
 */
/*
 * How it works
 * ============
 *
 * Three tiers
 * -----------
 * A free block lies in one of three places, nearest first:
 *
 *   1. CacheStripe: per (stream, stripe of threads). Small blocks by size class. Nearly always one
 *      thread's own, found by thread and stream in StripeTable.
 *   2. StreamHeap: per stream, shared by all threads, blocks of any size. One lock per stream.
 *   3. BlockHeap: per device. Here alone blocks are split and merged, and here memory is taken from
 *      the driver: PageHeap over virtual memory, SegmentHeap over plain allocation.
 *
 * A block is closed into the first tier; what overflows a tier moves to the next in one piece, half
 * of the tier at a time (an eighth of a first tier that has earned more room). When the third tier
 * finds nothing, all caches of all streams are emptied into it before any memory is taken: caches
 * cost time to fill, not memory. Only a program that searches most of the time may pay for larger
 * ones with memory: see CacheCredit.
 *
 * Stream order
 * ------------
 * A block that only its own stream used is reused on that stream at once: the stream's order is
 * enough, and no event is recorded. Frontier tells when other streams may have it. A block that
 * other streams used waits in PendingFrees until these have passed the point of its free.
 *
 * Private pools
 * -------------
 * A private pool is such an allocator once more: own tiers, own segments, own streams' heaps. It
 * shares with its allocator the events, the growth lock, and the totals of the books, so that limits,
 * peaks and statistics count over all pools: see PrivatePools. Which threads use one is looked up
 * only while some thread does: PoolRoutes.
 *
 * Locks
 * -----
 *   CacheStripe    its blocks, its books, who closed a handle   leaf
 *   StreamHeap     the shared cache of one stream               before CacheStripe
 *   BlockHeap.lock blocks' links, free indexes, page maps,
 *                  which numbers are given                      leaf
 *   PendingFrees   queues of events         calls the driver    leaf
 *   Frontier       marks of one stream      calls the driver    leaf
 *   CacheCredit    what the caches may cost                     before CacheStripe
 *   BlockHeap.growth                        calls the driver    before BlockHeap.lock
 *   PrivatePool    the end of a pool        calls the driver    before BlockHeap.growth
 *   PrivatePools   the list of pools                            before the books
 *   PoolRoutes     how many scopes are open                     leaf
 *   IdleTimeDecay  what was needed when     calls the driver    before all above
 *   InFlightCalls  who holds calls off      calls the driver    before all above
 *   retirement     the close, and forgetting closed streams,
 *                  which only tries         calls the driver    before all others
 *
 * A hit takes the first alone, and so does its close; or the first and the second one after the
 * other. No lock under which the driver is called is taken by a hit.
 *
 * Memory modes
 * ------------
 * The handle's block is taken out under the lock of the block's stripe, which decides who closed
 * it. All fields of a block are plain: they belong to whoever owns it, and ownership passes through
 * a lock. What is linked in caches is linked by number: see BlockNumbers.
 */
public final class CachingAllocator implements Allocator {
  /** The largest block that a stripe keeps in front of its bins, over pages. */
  private static final long FRONT_BYTES = 8 * ByteSize.MIB;

  /** How far a stripe may claim live bytes ahead: see {@link Claims}. */
  private static final long CLAIM_BYTES = 4 * ByteSize.MIB;

  /** Stripes per processor, so that two busy threads rarely meet in one. */
  private static final int STRIPES_PER_PROCESSOR = 2;

  private static final int MAX_STRIPES = 64;

  /** What a private pool over virtual memory reserves first, of the device's memory. */
  private static final double POOL_ADDRESSES = 1.0 / 64;

  /** The number of the private pool that this is the inside of; 0 for the default pool. */
  final long poolId;

  final BlockHeap heap;
  final PendingFrees pending;
  final InFlightCalls calls = new InFlightCalls();
  final StatisticsReader statistics;

  private final Device device;
  private final MemoryObserver observer;
  private final SizeRules rules;
  private final StreamHeaps heaps;
  private final StripeTable stripes;
  private final EventPool events;
  private final LiveGauge gauge;
  private final CacheCredit credit;

  /** Shared by all pools. */
  private final MoveTime moveTime;

  private final MemorySearch search;
  private final OutOfMemoryReporter reporter;
  private final Decay decay;
  private final CachingAllocatorOptions options;
  private final AtomicReference<OutOfMemoryHandler> outOfMemoryHandler;
  private final PrivatePools pools = new PrivatePools(this);
  private final PoolRoutes routes = new PoolRoutes(this::detour);

  /** Shared by all pools. */
  private final CapturedStreams captured;

  /** Hears of captures, as long as it is open. */
  private final Runnable captureListener = routes::tell;

  /** How many captures and graphs hold its memory, if this is the inside of a private pool. */
  private final AtomicInteger graphs = new AtomicInteger();

  private final ReentrantLock retirement = new ReentrantLock();

  /** Guards changes of the limit and the fraction, so that the lesser of both counts. */
  private final Object limits = new Object();

  private volatile double memoryFraction;
  private volatile long limit;
  private volatile boolean closed;

  /** Whether nothing is left to give back. Guarded by {@code retirement}. */
  private boolean ended;

  /** Whether it is closed, some thread allocates from private pools, or a stream is captured. */
  private volatile boolean detoured;

  CachingAllocator(Device device, boolean pages, CachingAllocatorOptions options) {
    this(
        0,
        null,
        device,
        options,
        new EventPool(device),
        new LiveGauge(CLAIM_BYTES),
        new MemoryBooks(effectiveLimit(device, options.memoryFraction(), options.limitBytes())),
        (books, slack, numbers) ->
            pages
                ? new PageHeap(device, options, PageHeap.ADDRESS_FACTOR, slack, books, numbers)
                : new SegmentHeap(
                    new OwnMemory(device), FreeMemory.of(device), options, slack, books, numbers));
  }

  /** The inside of a private pool. */
  private CachingAllocator(long poolId, CachingAllocator main, PrivatePoolOptions own) {
    this(
        poolId,
        main,
        main.device,
        main.options,
        main.events,
        new PoolGauge(main.gauge),
        new PoolBooks(main.heap.books, own.limitBytes()),
        (books, slack, numbers) -> poolHeap(main, own, books, slack, numbers));
  }

  private static BlockHeap poolHeap(
      CachingAllocator main,
      PrivatePoolOptions own,
      MemoryBooks books,
      Slack slack,
      BlockNumbers numbers) {
    SegmentSource source = own.source();
    if (source == null && main.heap instanceof PageHeap) {
      return new PageHeap(main.device, main.options, POOL_ADDRESSES, slack, books, numbers);
    }
    return source == null
        ? new SegmentHeap(
            new OwnMemory(main.device),
            FreeMemory.of(main.device),
            main.options,
            slack,
            books,
            numbers)
        : new SegmentHeap(
            new SourceMemory(source, main.observer),
            FreeMemory.UNKNOWN,
            main.options,
            slack,
            books,
            numbers);
  }

  /** Makes the memory beneath an allocator. */
  @FunctionalInterface
  private interface HeapFactory {
    BlockHeap create(MemoryBooks books, Slack slack, BlockNumbers numbers);
  }

  private CachingAllocator(
      long poolId,
      @Nullable CachingAllocator main,
      Device device,
      CachingAllocatorOptions options,
      EventPool events,
      LiveGauge gauge,
      MemoryBooks books,
      HeapFactory heap) {
    this.poolId = poolId;
    this.device = device;
    this.options = options;
    this.stripes = main == null ? new StripeTable() : StripeTable.small();
    this.observer = device.getMemoryObserver();
    this.rules = new SizeRules(options.roundingDivisions());
    this.events = events;
    this.gauge = gauge;
    this.captured = main == null ? new CapturedStreams(device) : main.captured;
    this.pending = new PendingFrees(events, gauge, this::isUnasked);
    this.outOfMemoryHandler =
        main == null
            ? new AtomicReference<>(options.outOfMemoryHandler())
            : main.outOfMemoryHandler;
    this.memoryFraction = options.memoryFraction();
    this.limit = options.limitBytes();
    LiveGauge live = main == null ? gauge : main.gauge;
    BlockNumbers numbers = new BlockNumbers();
    this.moveTime =
        main == null ? new MoveTime(options.moveTime(), options.clock()) : main.moveTime;
    double cacheShare = moveTime.isUnlimited() ? 0 : CacheCredit.SHARE;
    this.credit = new CacheCredit(cacheShare, books, live::allocatedBytes, options.clock());
    Slack slack = new Slack(moveTime, credit::room);
    this.heap = heap.create(books, slack, numbers);
    int processors = Runtime.getRuntime().availableProcessors() * STRIPES_PER_PROCESSOR;
    int stripeCount = Math.min(MAX_STRIPES, Integer.highestOneBit(2 * processors - 1));
    // In a segment a block that lies aside is a hole; over pages it is flushed out where it
    // matters.
    long largestFront = this.heap instanceof PageHeap ? FRONT_BYTES : 0;
    this.heaps =
        new StreamHeaps(
            stream ->
                new StreamHeap(
                    ours(stream),
                    this,
                    options,
                    credit,
                    gauge,
                    events,
                    numbers,
                    largestFront,
                    stripeCount));
    this.statistics = new StatisticsReader(heaps, this.heap, pending, gauge, pools::readers);
    this.reporter = new OutOfMemoryReporter(this, main == null ? this : main);
    OtherPools others = main == null ? pools.besideDefault() : main.pools.besidePrivate();
    PrivatePools everyPool = main == null ? pools : main.pools;
    Ceiling ceiling =
        new Ceiling(this.heap, statistics, main == null ? statistics : main.statistics);
    this.search =
        new MemorySearch(
            heaps,
            this.heap,
            pending,
            events,
            credit,
            options,
            outOfMemoryHandler::get,
            reporter,
            others,
            calls,
            everyPool,
            ceiling);
    this.decay = main == null ? createDecay() : main.decay;
    if (main == null) {
      captured.addListener(captureListener);
    }
  }

  private Decay createDecay() {
    return options.decay().isZero()
        ? Decay.NEVER
        : new IdleTimeDecay(options.decay().toNanos(), options.clock(), heaps, heap, search, pools);
  }

  /**
   * Settings for an allocator of this device's memory. They begin as the system properties {@code
   * vramkit.allocator.NAME} say, else as the environment variable {@code VRAMKIT_ALLOCATOR_CONF}
   * does, by {@code name=value,name=value}, else as by default. Names and values are those of
   * {@link CachingAllocatorBuilder#set}.
   *
   * @throws InvalidArgumentException if one of those names no option, naming those there are, or if
   *     a value does not fit
   */
  public static CachingAllocatorBuilder builder(Device device) {
    CachingAllocatorBuilder builder = new CachingAllocatorBuilder(device);
    ConfiguredOptions.apply(builder, System.getenv(), System.getProperties());
    return builder.begunOutside();
  }

  /** An allocator with the settings of {@link #builder}. */
  public static CachingAllocator create(Device device) {
    return builder(device).build();
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public Allocation allocate(long bytes, Stream stream) {
    return allocate(bytes, stream, "");
  }

  /**
   * Takes memory before anybody asks for it, which is nobody's then.
   *
   * @throws DeviceOutOfMemoryException if it cannot be had
   */
  void reserve(long bytes) {
    inside(
        () -> {
          StreamHeap owner = heaps.of(device.getDefaultStream());
          heap.free(search.reserve(owner, rules.round(bytes), bytes));
          return true;
        });
  }

  // ---- the hot path ----

  Allocation allocate(long bytes, Stream stream, String tag) {
    StackRoom.forHit();
    if (bytes <= 0 || bytes > SizeRules.MAX_REQUEST || detoured) {
      return allocateUnusual(bytes, stream, tag);
    }
    return allocateHere(bytes, stream, tag);
  }

  private Allocation allocateHere(long bytes, Stream stream, String tag) {
    long size = rules.round(bytes);
    CachingAllocation handle = new CachingAllocation(bytes);
    CacheStripe stripe = stripes.find(stream);
    Block block = stripe == null ? null : stripe.tryTake(size, bytes);
    if (block == null) {
      block = allocateFar(stream, size, bytes);
    }
    handle.hold(block);
    block.tag(tag);
    tell(block, bytes, stream, tag);
    return handle;
  }

  /** Tells the observer; where it fails, as that of a closed device does, nobody has the block. */
  private void tell(Block block, long bytes, Stream stream, String tag) {
    try {
      observer.allocated(block.address, bytes, stream, tag);
    } catch (RuntimeException | Error e) {
      block.owner().give(block);
      throw e;
    }
  }

  // The way of a close: CachingAllocation.close, CacheStripe.close.

  // ---- beside it ----

  /**
   * Allocates memory whose address is a multiple of more than 256, as some libraries want it for
   * their work. Kept and reused like any other; may take a little more memory where none that is
   * free lies right.
   *
   * @param alignment a power of two up to 2 MiB
   * @throws InvalidArgumentException if it is none, or as {@link #allocate(long, Stream)} does
   * @throws NotSupportedException if blocks of this size are never split, see {@link
   *     CachingAllocatorBuilder#maxSplit}
   * @see #allocate(long, Stream)
   */
  public Allocation allocateAligned(long bytes, long alignment, Stream stream) {
    if (Long.bitCount(alignment) != 1 || alignment < 1 || alignment > SizeRules.MAX_ALIGNMENT) {
      throw new InvalidArgumentException(
          "alignment must be a power of two up to 2 MiB, not " + alignment);
    }
    return allocate(bytes, alignment, stream, "");
  }

  /** The same for an alignment that is one. */
  Allocation allocate(long bytes, long alignment, Stream stream, String tag) {
    if (alignment <= SizeRules.ALIGNMENT || bytes <= 0 || bytes > SizeRules.MAX_REQUEST / 2) {
      return allocate(bytes, stream, tag);
    }
    StackRoom.forMiss();
    if (detoured) {
      Allocation routed = findRouted(bytes, alignment, stream, tag);
      if (routed != null) {
        return routed;
      }
      captured.refuseOutside(bytes, stream);
    }
    return allocateAlignedHere(bytes, alignment, stream, tag);
  }

  private Allocation allocateAlignedHere(long bytes, long alignment, Stream stream, String tag) {
    long size = rules.round(bytes);
    if (!heap.maySplit(size + alignment)) {
      throw new NotSupportedException(
          "cannot align "
              + ByteSize.format(bytes)
              + " to "
              + ByteSize.format(alignment)
              + ": blocks of this size are never split; see the options splitting and max-split");
    }
    CachingAllocation handle = new CachingAllocation(bytes);
    Block block = allocateFar(stream, size, bytes, alignment);
    handle.hold(block);
    block.tag(tag);
    tell(block, bytes, stream, tag);
    return handle;
  }

  /** Takes back a block whose handle was closed, where somebody listens or other streams use it. */
  void free(Block block) {
    StackRoom.forMiss();
    StreamHeap owner = block.owner();
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

  /** Takes blocks that no cache has room for, linked by {@code nextCached}. */
  void takeBack(Block first) {
    heap.free(first);
  }

  private Allocation allocateUnusual(long bytes, Stream stream, String tag) {
    Allocation routed = findRouted(bytes, SizeRules.ALIGNMENT, stream, tag);
    if (routed != null) {
      return routed;
    }
    captured.refuseOutside(bytes, stream);
    return bytes > 0 && bytes <= SizeRules.MAX_REQUEST
        ? allocateHere(bytes, stream, tag)
        : allocateOdd(bytes, stream);
  }

  /** What the pool gives that this thread's innermost scope leads to; null if none is open. */
  private @Nullable Allocation findRouted(long bytes, long alignment, Stream stream, String tag) {
    requireOpen();
    for (PoolScope scope = routes.find(); scope != null; scope = routes.find()) {
      Allocation routed = scope.tryAllocate(bytes, alignment, stream, tag);
      if (routed != null) {
        return routed;
      }
      // Another thread has closed the scope just now, or the whole allocator.
      requireOpen();
    }
    return null;
  }

  private void requireOpen() {
    if (closed) {
      throw closedError();
    }
  }

  private ClosedException closedError() {
    return new ClosedException(
        poolId == 0
            ? "allocator of device " + device.getOrdinal() + " is closed"
            : this + " is closed: make a new one");
  }

  private void detour(boolean anyScopeOpen) {
    detoured = closed || anyScopeOpen || captured.isAny();
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

  private Block allocateFar(Stream stream, long size, long bytes) {
    return allocateFar(stream, size, bytes, SizeRules.ALIGNMENT);
  }

  private Block allocateFar(Stream stream, long size, long bytes, long alignment) {
    StackRoom.forMiss();
    if (!calls.enter()) {
      throw closedError();
    }
    try {
      // No closure where nothing is captured: it would be garbage with each miss.
      return captured.isAny()
          ? captured.relaxed(() -> allocateInside(stream, size, bytes, alignment))
          : allocateInside(stream, size, bytes, alignment);
    } finally {
      calls.leave();
    }
  }

  private Block allocateInside(Stream stream, long size, long bytes, long alignment) {
    StreamHeap known = heaps.of(stream);
    if (known.stream == stream) {
      stripes.remember(known.ownStripe());
    }
    Block near = known.takeNear(size, bytes, alignment);
    if (near != null) {
      return near;
    }
    Streams.requireOpen(stream);
    StreamHeap owner = heaps.renew(known, stream);
    if (options.preemptiveRejection() && size > heap.books.limit()) {
      heap.books.rejections.increment();
      heap.books.outOfMemories.increment();
      throw reporter.exception(
          reporter.report(owner, bytes, size, List.of("rejected by the limit")), null);
    }
    if (heaps.isCrowded()) {
      retireClosedStreams();
    }
    decay.ride();
    return alignment <= SizeRules.ALIGNMENT
        ? search.find(owner, size, bytes)
        : search.findAligned(owner, size, bytes, alignment);
  }

  /** A program may make a stream for every task: what is known of closed ones must not pile up. */
  private void retireClosedStreams() {
    if (!retirement.tryLock()) {
      return;
    }
    try {
      retire();
    } finally {
      retirement.unlock();
    }
  }

  private void retire() {
    List<StreamHeap> retired = new ArrayList<>();
    for (StreamHeap each : heaps.all()) {
      if (each.stream.isClosed() && statistics.holdsNothing(each)) {
        each.ended = true;
        each.flush(heap);
        heap.settle(List.of(each));
        each.ended = !heap.hasUnsettled(each) && statistics.holdsNothing(each);
        if (each.ended) {
          each.frontier.close();
          retired.add(each);
        }
      }
    }
    statistics.retire(retired, () -> heaps.forget(retired));
    gauge.unused.sweep();
    stripes.clear();
  }

  private void freeLater(Block block, StreamHeap owner) {
    block.epoch = owner.frontier.epoch();
    // Once it is pending another thread may have it any moment.
    CacheStripe home = block.home();
    long requested = block.requested;
    long size = block.size;
    try {
      pending.add(block);
    } finally {
      home.discharge(requested, size);
    }
  }

  private Stream ours(Stream stream) {
    ForeignStream.refuse(stream, device, "the allocator");
    return stream;
  }

  void recordUse(Block block, Stream stream) {
    requireUser(stream);
    recordUseOf(block, stream);
  }

  private void recordUseOf(Block block, Stream stream) {
    if (!Streams.areSame(stream, block.owner().stream)) {
      block.addUse(stream);
      observer.used(block.address, stream);
    }
  }

  private void requireUser(Stream stream) {
    ForeignStream.refuseUse(stream, device, "the memory");
  }

  /**
   * Records a use by any address inside a live allocation, for callers that have no handle. Walks
   * the blocks: use {@link Allocation#recordUse} where speed matters.
   *
   * @param address first byte or any other of a live allocation
   * @param stream who uses it
   * @return false if no live allocation holds that address
   */
  public boolean recordUse(long address, Stream stream) {
    requireUser(stream);
    for (CachingAllocator each : pools.members()) {
      Block found = each.heap.blockAt(address);
      if (found != null) {
        boolean live = found.state() == Block.State.LIVE;
        if (live) {
          each.recordUseOf(found, stream);
        }
        return live;
      }
    }
    return false;
  }

  /**
   * The same allocator under a name: what is allocated through it is listed under the tag in
   * snapshots and out-of-memory reports. Closing it does nothing.
   *
   * @param tag for people, such as {@code weights}
   */
  public Allocator tagged(String tag) {
    return new TaggedAllocator(this, Objects.requireNonNull(tag, "tag"));
  }

  /**
   * Whether a stream must not be asked how far it has come: what is not known cannot be reused by
   * others, moved or given back. While graphs hold memory of a private pool, that goes for all its
   * streams: a launch uses what the streams have passed long ago.
   */
  boolean isUnasked(Stream stream) {
    return graphs.get() > 0 || captured.has(stream);
  }

  CapturedStreams captured() {
    return captured;
  }

  /** A capture into this private pool begins, and with it a hold on its memory. */
  void beginGraph() {
    graphs.incrementAndGet();
  }

  /** A graph is closed, or nothing came of its capture. */
  void endGraph() {
    graphs.decrementAndGet();
  }

  /** How many captures and graphs hold its memory. */
  int graphs() {
    return graphs.get();
  }

  /** A private pool with the default options. */
  public PrivatePool createPool() {
    return createPool(PrivatePoolOptions.DEFAULT);
  }

  /**
   * A part of this allocator with memory of its own. Takes no memory yet.
   *
   * @return the pool; the caller closes it, or this allocator's close does
   * @throws ClosedException if this allocator is closed
   */
  public PrivatePool createPool(PrivatePoolOptions poolOptions) {
    Objects.requireNonNull(poolOptions, "poolOptions");
    return inside(
        () ->
            pools.add(
                id ->
                    new PrivatePool(
                        id,
                        pools,
                        routes,
                        poolOptions,
                        () -> new CachingAllocator(id, this, poolOptions))));
  }

  /**
   * Does something while the allocator cannot be closed, nor looks alone.
   *
   * @throws ClosedException if it is closed
   */
  <T> T inside(Supplier<T> action) {
    StackRoom.forMiss();
    if (!calls.enter()) {
      throw closedError();
    }
    try {
      return action.get();
    } finally {
      calls.leave();
    }
  }

  /** The limit in bytes that was set; {@link Long#MAX_VALUE} for none. */
  public long getLimit() {
    return limit;
  }

  /**
   * Changes the limit. What is reserved beyond it stays until it is trimmed.
   *
   * @param bytes not negative
   */
  public void setLimit(long bytes) {
    if (bytes < 0) {
      throw new InvalidArgumentException("limit must not be negative: " + bytes);
    }
    synchronized (limits) {
      limit = bytes;
      heap.books.limit(effectiveLimit(device, memoryFraction, limit));
    }
  }

  /** The share of the device's memory that may be reserved, as it was set. */
  public double getMemoryFraction() {
    return memoryFraction;
  }

  /**
   * Changes that share.
   *
   * @param fraction from 0 to 1
   */
  public void setMemoryFraction(double fraction) {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new InvalidArgumentException("memory fraction must be from 0 to 1, not " + fraction);
    }
    synchronized (limits) {
      memoryFraction = fraction;
      heap.books.limit(effectiveLimit(device, memoryFraction, limit));
    }
  }

  /** Who is asked before an allocation fails. */
  public OutOfMemoryHandler getOutOfMemoryHandler() {
    return Objects.requireNonNull(outOfMemoryHandler.get());
  }

  /**
   * Changes who is asked before an allocation fails, from this allocator and its private pools.
   *
   * @param handler {@link OutOfMemoryHandler#NONE} for nobody
   */
  public void setOutOfMemoryHandler(OutOfMemoryHandler handler) {
    outOfMemoryHandler.set(Objects.requireNonNull(handler, "handler"));
  }

  /**
   * The size of the block that a request takes: what it adds to {@link
   * AllocatorStatistics#allocated}. A block from a cache may be larger.
   *
   * @param bytes not negative
   * @throws InvalidArgumentException if that is negative, or above 1 EiB
   */
  public long sizeOf(long bytes) {
    if (bytes < 0 || bytes > SizeRules.MAX_REQUEST) {
      throw new InvalidArgumentException(
          "no block has " + bytes + " bytes: wanted from 0 to 1 EiB");
    }
    return bytes == 0 ? 0 : rules.round(bytes);
  }

  private static long effectiveLimit(Device device, double fraction, long limit) {
    long share =
        fraction == 1
            ? Long.MAX_VALUE
            : (long) (fraction * device.getProperties().totalMemoryBytes());
    return Math.min(limit, share);
  }

  /** Gives all free memory back to the driver: {@code trim(0)}. */
  public void emptyCache() {
    trim(0);
  }

  /**
   * Gives free memory back to the driver until at most so much is reserved. If that is not reached
   * with what is known to be free, waits for closed allocations that other streams still use, and
   * once for each stream whose frees are not passed yet. Private pools that are open keep theirs.
   */
  @Override
  public void trim(long keepBytes) {
    requireNotNegative(keepBytes);
    if (calls.enter()) {
      try {
        pools.drainEnded(keepBytes, true);
        captured.relaxed(() -> giveBack(keepBytes, this::waitOutside));
        if (!calls.isShut()) {
          decay.ride();
        }
      } finally {
        calls.leave();
      }
    }
  }

  /**
   * Gives memory back to the driver that was free, and that nobody asked for, for some time: of
   * what was last needed at an age within {@link CachingAllocatorBuilder#decay the idle time} a
   * share that grows with the age, and all that is older. Does nothing where that option is off, or
   * where it was done within the last twentieth of that time.
   *
   * <p>No thread does this in the background: an allocator that nobody calls does not decay by
   * itself. Allocations that miss the caches and {@link #trim} do it beside their own work, so a
   * program that is busy at times need not call it. One that may fall silent, and shares its
   * device, has it called by a timer, a few times in each idle time.
   *
   * <p>Caches that nothing was taken from are emptied first. Nothing goes back that work submitted
   * so far may still use, and nothing is waited for; unless a stream was closed whose frees are not
   * passed yet, then for the device. Private pools that are open keep theirs.
   *
   * @return bytes given back
   */
  public long decay() {
    if (!calls.enter()) {
      return 0;
    }
    try {
      return captured.relaxed(decay::run);
    } finally {
      calls.leave();
    }
  }

  private static void requireNotNegative(long keepBytes) {
    if (keepBytes < 0) {
      throw new InvalidArgumentException("cannot keep " + keepBytes + " bytes: negative");
    }
  }

  /**
   * Gives free memory of this pool back until all pools together have reserved at most so much.
   *
   * @return bytes given back
   */
  long giveBack(long keepBytes, boolean waiting) {
    return waiting ? giveBack(keepBytes, Waiter.STAYING) : giveBackFree(keepBytes);
  }

  private long giveBackFree(long keepBytes) {
    credit.forfeit();
    search.poll();
    search.flush();
    heap.settle(heaps.all());
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

  /** Waits with others free to look alone or to close the allocator; from inside of a call. */
  private boolean waitOutside(Runnable wait) {
    return calls.outside(() -> Waiter.STAYING.goesOnAfter(wait)) && !calls.isShut();
  }

  /** Waits as well: for closed allocations that other streams use, then once for each stream. */
  private long giveBack(long keepBytes, Waiter waiter) {
    long given = giveBackFree(keepBytes);
    while (heap.books.reserved() > keepBytes && pending.isAwaitable()) {
      if (!waiter.goesOnAfter(() -> pending.awaitCheapest(0))) {
        return given;
      }
      heap.books.synchronizations.increment();
      search.poll();
      given += heap.release(keepBytes);
    }
    if (heap.books.reserved() <= keepBytes) {
      return given;
    }
    heap.settle(heaps.all());
    for (StreamHeap each : heaps.all()) {
      if (heap.isToPass(each)) {
        if (!waiter.goesOnAfter(each.frontier::await)) {
          return given;
        }
        heap.settleAwaited(each);
      }
    }
    return given + heap.release(keepBytes);
  }

  PrivatePools pools() {
    return pools;
  }

  // ---- as the inside of a private pool ----

  /** Gives memory back until this pool has reserved at most so much; from inside of a call. */
  void trimOwn(long keepBytes) {
    requireNotNegative(keepBytes);
    long others = heap.books.reserved() - heap.books.held();
    long keep = keepBytes > Long.MAX_VALUE - others ? Long.MAX_VALUE : keepBytes + others;
    captured.relaxed(() -> giveBack(keep, this::waitOutside));
  }

  /** A block for a user of another pool, not in the books yet; or null. */
  @Nullable Block help(Stream stream, long size) {
    return search.help(heaps.renew(heaps.of(stream), stream), size);
  }

  /** Bytes that this pool holds and no user of it. */
  long freeBytes() {
    return Math.max(0, heap.books.held() - statistics.liveBytes() - gauge.pendingBytes());
  }

  boolean isEmpty() {
    return statistics.liveCount() == 0 && pending.isEmpty() && heap.books.held() == 0;
  }

  /** Nobody allocates here from now on; who is inside may end what was begun. */
  void shutOwn() {
    calls.shut();
    heaps.freeze(heap);
  }

  /**
   * Has all free blocks lie in the heap, and no hit happen, until it is {@link #letGo}; not from
   * inside of a call.
   */
  void hold() {
    calls.hold();
    boolean held = false;
    try {
      heaps.freeze(heap);
      held = true;
    } finally {
      if (!held) {
        letGo();
      }
    }
  }

  void letGo() {
    try {
      if (!calls.isShut()) {
        heaps.thaw();
      }
    } finally {
      calls.letGo();
    }
  }

  void giveUpHeap() {
    heap.close();
    giveUpEvents();
  }

  private void giveUpEvents() {
    pending.giveUp();
    heaps.all().forEach(each -> each.frontier.close());
  }

  /** Keeps in its books what a pool did that is forgotten. */
  void retire(CachingAllocator ended, Runnable forgetting) {
    statistics.retire(ended.statistics, forgetting);
    gauge.unused.sweep();
  }

  @Override
  public AllocatorStatistics getStatistics() {
    return statistics.read();
  }

  /** Every segment and block; exact at a quiet moment. */
  public AllocatorSnapshot getSnapshot() {
    return SnapshotTaker.take(pools.members());
  }

  /** The part of small and of large requests in some of those figures. */
  public SizeStatistics getSizeStatistics() {
    return statistics.readBySize();
  }

  @Override
  public void resetPeaks() {
    eachMember(each -> each.reset(MemoryBooks::resetPeaks));
  }

  /**
   * Makes every peak the current value, and counts all that happens anew: what was ever added and
   * removed, hits, misses, calls of the driver. What is held stays. Exact at a quiet moment.
   */
  public void resetStatistics() {
    eachMember(
        each -> {
          each.reset(MemoryBooks::resetHistory);
          each.statistics.resetHistory();
        });
  }

  /** The pools first: what they have claimed ahead counts in the figure over all. */
  private void eachMember(Consumer<CachingAllocator> action) {
    List<CachingAllocator> members = pools.members();
    for (int i = members.size() - 1; i >= 0; i--) {
      action.accept(members.get(i));
    }
  }

  /** Makes the peaks of this pool what it holds, and leaves those over all pools as they are. */
  void resetPeaksBeside(StatisticsReader total) {
    total.resetPeaksOf(statistics);
    resetShared(MemoryBooks::resetPeaks);
  }

  private void reset(Consumer<MemoryBooks> books) {
    statistics.resetPeaks();
    resetShared(books);
  }

  /** What all stripes have in common. */
  private void resetShared(Consumer<MemoryBooks> books) {
    gauge.resetPeaks();
    heap.growth.lock();
    try {
      books.accept(heap.books);
    } finally {
      heap.growth.unlock();
    }
  }

  /**
   * Gives all memory back to the driver, and events. Where the driver fails it goes on from there
   * when it is called again; a lost device has taken its memory along, and nothing is left to do.
   */
  @Override
  public void close() {
    StackRoom.forMiss();
    retirement.lock();
    try {
      if (ended) {
        return;
      }
      if (!closed) {
        pools.quietly(
            () -> {
              requireNothingLive();
              shut();
              return true;
            });
      }
      giveAllBack();
      end();
    } catch (FatalDeviceException lost) {
      shut();
      pools.members().forEach(CachingAllocator::giveUpEvents);
      Batch.after(lost, this::end);
      throw lost;
    } finally {
      retirement.unlock();
    }
  }

  private void requireNothingLive() {
    pools.requireNoGraphs();
    long live = statistics.liveCount();
    if (live != 0) {
      throw new IllegalStateException(
          "cannot close: "
              + Count.of(live, "open allocation")
              + " of "
              + ByteSize.format(statistics.liveBytes())
              + "; close first:"
              + OpenBlocks.list(getSnapshot(), observer));
    }
  }

  /** Nobody allocates from now on, from whichever pool. */
  private void shut() {
    closed = true;
    pools.members().forEach(CachingAllocator::shutOwn);
    routes.tell();
  }

  private void giveAllBack() {
    // What was closed before may be on its way home.
    pools.members().forEach(each -> each.calls.awaitDeserted());
    pools.close();
    giveBack(0, true);
    while (pending.awaitCheapest(0)) {
      search.poll();
    }
    giveBack(0, true);
    giveUpHeap();
  }

  private void end() {
    ended = true;
    captured.removeListener(captureListener);
    events.close();
  }

  @Override
  public String toString() {
    return (poolId == 0 ? "caching allocator" : "private pool " + poolId)
        + " of device "
        + device.getOrdinal();
  }
}
