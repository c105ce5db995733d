package org.vramkit.pool.caching.internal.arena;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.SegmentSource;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.internal.arena.PoolRegistry.Shared;
import org.vramkit.pool.caching.internal.cache.CacheBacking;
import org.vramkit.pool.caching.internal.cache.CacheTable;
import org.vramkit.pool.caching.internal.cache.CachingAllocation;
import org.vramkit.pool.caching.internal.cache.EmptyAllocation;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.ThreadCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.MemoryLimit;
import org.vramkit.pool.caching.internal.heap.PendingBlocks;
import org.vramkit.pool.caching.internal.heap.StreamState;
import org.vramkit.pool.caching.internal.heap.UnreleasableChunks;
import org.vramkit.pool.caching.internal.history.HistoryRing;
import org.vramkit.pool.caching.internal.history.HistoryWriter;
import org.vramkit.pool.caching.internal.leak.LeakDetector;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.Option;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.stats.TagAccount;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.Gate;
import org.vramkit.pool.support.PoolHealth;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.Streams;
import org.vramkit.pool.support.UserError;

/**
 * One pool of an allocator, with its own thread caches and heap: the default pool, or the
 * implementation of a private pool. {@link org.vramkit.pool.caching.internal} describes how the
 * parts work together. Thread-safe.
 */
public final class Arena implements CacheBacking {
  /** Small blocks get 1/{@value} of the memory that {@link #reserve} takes. */
  private static final int SMALL_PARTS = 64;

  private static final long MOST_SMALL = 32 * ByteSize.MIB;

  /**
   * Approximate bytes of a chunk. An allocation polls for about as long as the creation of its
   * chunks would take.
   */
  private static final long POLLED_BYTES = 20 * ByteSize.MIB;

  /** The most queries of one allocation, which take some 0.7 ms. */
  private static final int MOST_QUERIES = 512;

  /**
   * The number of streams whose queries count as one poll, because each of them may release memory.
   */
  private static final int STREAMS_OF_POLL = 8;

  /** The number of a private pool; 0 for the default pool. */
  public final long id;

  public final Heap heap;
  public final CacheTable streams;
  public final PendingBlocks pending;
  public final Gate gate;
  public final StatisticsReader statistics;
  public final Trimming trimming;
  public final PoolSuspension suspension;

  /** True while the driver has the pool's memory. Only {@link PoolSuspension} writes it. */
  volatile boolean suspended;

  private final PoolRegistry registry;
  private final OutOfMemoryRecovery recovery;
  private final PoolHealth health;
  private final Device device;
  private final MemoryObserver observer;
  private final SizeRules rules;
  private final EventPool events;
  private final StreamClocks clocks;
  private final CapturedStreams captured;
  private final StealPolicy steal;
  private final int pollsForChunk;
  private final Supplier<@Nullable HistoryRing> history;
  private final LeakDetector leaks;
  private final UnaryOperator<AllocatorOutOfMemoryException> refusals;

  /** The largest request in bytes that may be a hit: see {@link #adoptLimit}. */
  private volatile long largestRequest;

  /** Closes the scopes and captures that finished threads left open in a private pool. */
  private volatile Runnable closeFinished = () -> {};

  private final AtomicInteger graphs = new AtomicInteger();

  /** The number of open scopes and graphs, plus one until the pool is closed. */
  private final AtomicInteger uses = new AtomicInteger(1);

  private final AtomicBoolean closed = new AtomicBoolean();
  private boolean disposed;

  private final List<Reclaimer> reclaimers = new CopyOnWriteArrayList<>();

  /**
   * Creates a pool without memory.
   *
   * @param limit what the pool may reserve
   * @param source the source of the pool's segments; null for the allocator's kind of memory
   */
  Arena(
      long id,
      PoolRegistry registry,
      UsageGauge gauge,
      MemoryLimit limit,
      @Nullable SegmentSource source) {
    this.id = id;
    this.registry = registry;
    Shared shared = registry.shared;
    CachingAllocatorOptions options = shared.options();
    this.device = shared.device();
    this.health = shared.health();
    this.events = shared.events();
    this.captured = shared.captured();
    this.steal = options.get(Option.STEAL);
    this.pollsForChunk = options.get(Option.POLLS);
    this.history = shared.history();
    this.leaks = shared.leaks();
    this.refusals = shared.refusals();
    this.observer = device.getMemoryObserver();
    this.rules = new SizeRules(options.get(Option.ROUNDING_DIVISIONS));
    this.clocks =
        new StreamClocks(captured, events, this::isUnqueryable, options.get(Option.CLOCK));
    Block.Table numbers = new Block.Table();
    boolean isMain = id == 0;
    this.heap = registry.newHeap(id, source, limit, numbers);
    this.pending = new PendingBlocks(health, clocks, gauge, heap.observer);
    this.gate = new Gate(toString(), health);
    StreamCache.Settings settings = StreamCache.Settings.of(options, heap.isVirtual());
    this.streams =
        new CacheTable(
            health, stream -> newCache(requireOwnDevice(stream), settings, gauge, numbers), isMain);
    this.statistics =
        new StatisticsReader(
            heap, streams, pending, gauge, isMain ? registry::privateReaders : List::of);
    this.recovery = new OutOfMemoryRecovery(this, registry);
    this.trimming = new Trimming(heap, streams, pending, gate, statistics, captured);
    this.suspension = new PoolSuspension(this, registry);
    adoptLimit();
  }

  /** Applies the current limit over all pools to later allocations, including cache hits. */
  public synchronized void adoptLimit() {
    largestRequest = Math.min(heap.limit.ofAll() & -SizeRules.QUANTUM, SizeRules.MAX_REQUEST);
  }

  /** Returns how many bytes the limit of this pool leaves for further allocations. */
  public long availableBytes() {
    long limit = heap.limit.own();
    return limit == Long.MAX_VALUE ? limit : Math.max(0, limit - statistics.leastLiveBytes());
  }

  /** Adds a reclaimer, which is called before an allocation of this pool fails. */
  public boolean addReclaimer(Reclaimer reclaimer) {
    return reclaimers.add(Objects.requireNonNull(reclaimer, "reclaimer"));
  }

  public void removeReclaimer(Reclaimer reclaimer) {
    reclaimers.remove(reclaimer);
  }

  List<Reclaimer> reclaimers() {
    return reclaimers;
  }

  /**
   * Holds off all other calls, prevents hits and moves all free blocks to the heap, until {@link
   * #resume}. Must not be called by a thread that is inside the gate of a pool.
   */
  void hold() {
    gate.hold();
    boolean held = false;
    try {
      streams.freeze(heap);
      // A close before the freeze may be carrying blocks that its cache had no room for.
      gate.awaitDeserted();
      held = true;
    } finally {
      if (!held) {
        resume();
      }
    }
  }

  /**
   * Allows calls again, and hits unless the pool is shut, or suspended: then every close must reach
   * the heap.
   */
  void resume() {
    try {
      if (!gate.isShut() && !suspension.isSuspended()) {
        streams.unfreeze();
      }
    } finally {
      gate.resume();
    }
  }

  /** Refuses allocations from now on, and moves all free blocks to the heap. */
  public void shut() {
    gate.shut();
    streams.freeze(heap);
  }

  private StreamCache newCache(
      Stream stream, StreamCache.Settings settings, UsageGauge gauge, Block.Table numbers) {
    return new StreamCache(stream, clocks.of(stream), this, gate, health, settings, gauge, numbers);
  }

  private Stream requireOwnDevice(Stream stream) {
    Streams.refuseForeign(stream, device, "the allocator");
    return stream;
  }

  // ---- the hot path ----

  /** Allocates a block of the default alignment. */
  public Allocation allocate(long bytes, Stream stream, String tag) {
    try {
      return bytes > 0 && bytes <= largestRequest
          ? allocateHere(bytes, stream, tag)
          : allocateUncommon(bytes, stream, tag);
    } catch (UserError e) {
      throw e.unwrap();
    } catch (Error e) {
      health.slowPath = true;
      health.brokenBy = e;
      throw e;
    }
  }

  private Allocation allocateHere(long bytes, Stream stream, String tag) {
    long size = rules.round(bytes);
    CachingAllocation handle = new CachingAllocation(bytes);
    ThreadCache cache = streams.findCache(stream);
    if (cache == null || !cache.tryLock()) {
      return allocateSlow(handle, null, stream, size, bytes, SizeRules.ALIGNMENT, tag);
    }
    Block block;
    try {
      block = cache.take(size, bytes, tag);
    } finally {
      cache.unlock();
    }
    if (block == null) {
      // The table is indexed by hash, so the cache may be that of another thread.
      ThreadCache seen = cache == cache.owner.ownCache() ? cache : null;
      return allocateSlow(handle, seen, stream, size, bytes, SizeRules.ALIGNMENT, tag);
    }
    handle.hold(block, block);
    return handle;
  }

  // A close begins with CachingAllocation.close and ThreadCache.close.

  // ---- beyond the hot path ----

  /** Allocates a block whose address is a multiple of {@code alignment}, a power of two. */
  public Allocation allocate(long bytes, long alignment, Stream stream, String tag) {
    return alignment <= SizeRules.ALIGNMENT || bytes <= 0 || bytes > SizeRules.MAX_REQUEST / 2
        ? allocate(bytes, stream, tag)
        : health.change(() -> allocateAlignedHere(bytes, alignment, stream, tag));
  }

  private Allocation allocateAlignedHere(long bytes, long alignment, Stream stream, String tag) {
    CachingAllocation handle = new CachingAllocation(bytes);
    return allocateSlow(handle, null, stream, rules.round(bytes), bytes, alignment, tag);
  }

  private Allocation allocateUncommon(long bytes, Stream stream, String tag) {
    if (bytes < 0) {
      throw new InvalidArgumentException(
          "cannot allocate " + bytes + " bytes; " + ByteSize.NEGATIVE_HINT);
    }
    if (bytes > SizeRules.MAX_REQUEST) {
      heap.stats.add(Figure.OUT_OF_MEMORIES, 1);
      throw new DeviceOutOfMemoryException(
          "cannot allocate "
              + bytes
              + " bytes on device "
              + device.getOrdinal()
              + ": the maximum is 1 EiB; check whether the size has"
              + " overflowed",
          bytes,
          DriverStatus.NONE,
          null);
    }
    if (bytes > 0) {
      // Above the limit, which may have been lowered below the size of a cached block.
      return allocateAlignedHere(bytes, SizeRules.ALIGNMENT, stream, tag);
    }
    return new EmptyAllocation(requireOwnDevice(stream));
  }

  /**
   * Allocates by a search: the thread cache has no fitting block, must not serve hits, is unknown,
   * or is locked by another thread.
   *
   * @param seen this thread's cache, if it has no fitting block; null in the other cases
   */
  private Allocation allocateSlow(
      CachingAllocation handle,
      @Nullable ThreadCache seen,
      Stream stream,
      long size,
      long bytes,
      long alignment,
      String tag) {
    // Only here: a cache is found by its stream, so a missing stream never hits.
    Streams.requirePresent(stream);
    leaks.reportLeaks();
    Block block = findInside(seen, stream, size, bytes, alignment, tag);
    handle.hold(block, leaks.watch(block, bytes));
    return handle;
  }

  private Block findInside(
      @Nullable ThreadCache seen,
      Stream stream,
      long size,
      long bytes,
      long alignment,
      String tag) {
    if (!gate.enter()) {
      throw gate.closedError();
    }
    AllocatorOutOfMemoryException refused;
    try {
      if (suspended) {
        throw suspension.refusal("allocate " + ByteSize.format(bytes) + " from");
      }
      // Without a capture no closure, which would be garbage with each search.
      Block block =
          health.relaxes
              ? captured.relaxed(() -> find(seen, stream, size, bytes, alignment, tag))
              : find(seen, stream, size, bytes, alignment, tag);
      // Inside, because a suspension that begins after it may copy the block.
      report(block, bytes, stream, tag);
      return block;
    } catch (AllocatorOutOfMemoryException e) {
      refused = e;
    } finally {
      gate.leave();
    }
    throw refusals.apply(refused);
  }

  private void report(Block block, long bytes, Stream stream, String tag) {
    ThreadCache.of(block).setTag(block, tag);
    StreamCache owner = StreamCache.of(block);
    if (owner.isObserved) {
      try {
        UserError.runUser(() -> observer.allocated(block.address, bytes, stream, tag));
      } catch (RuntimeException | Error e) {
        // As the observer of a closed device does.
        owner.give(block);
        throw e;
      }
    }
  }

  private Block find(
      @Nullable ThreadCache seen,
      Stream stream,
      long size,
      long bytes,
      long alignment,
      String tag) {
    StreamCache known = seen == null ? streams.of(stream) : seen.owner;
    if (seen == null) {
      // With an observer of every block, all allocations take this path.
      if (known.stream == stream && !known.isObserved) {
        streams.rememberCache(known.ownCache());
      }
      Block near = heap.mayEverHave(size) ? known.takeNear(size, bytes, alignment) : null;
      if (near != null) {
        return near;
      }
    }
    Streams.requireOpen(stream);
    StreamCache owner = streams.renew(known, stream);
    if (streams.isCrowded()) {
      trimming.forgetClosedStreams(registry.ending);
    }
    maybeDecay();
    boolean possible = heap.mayEverHave(size);
    Block free = possible ? findFree(owner, size, alignment) : null;
    Block block = free == null ? findNew(owner, size, bytes, alignment, tag) : free;
    owner.account(block, bytes, free != null, heap.isContended());
    return block;
  }

  /** Finds a block without taking or moving memory; null if there is none. */
  private @Nullable Block findFree(StreamCache owner, long size, long alignment) {
    // Pending blocks are free once all their streams have passed the close.
    heap.free(pending.poll());
    Block block = heap.take(owner, size, alignment);
    // Blocks in thread caches merge in the heap.
    if (block == null && streams.shrink(heap) > 0) {
      block = heap.take(owner, size, alignment);
    }
    if (block != null || heap.countUnsettled() == 0) {
      return block;
    }
    // Other streams may have passed blocks, which any stream can take then.
    if (steal != StealPolicy.NEVER && heap.settleSome(streams.all())) {
      block = heap.take(owner, size, alignment);
    }
    if (block == null && steal == StealPolicy.WITH_WAIT) {
      block = heap.steal(owner, size, alignment, streams.all(), events);
    }
    return block != null ? block : pollBriefly(owner, size, alignment);
  }

  /**
   * Polls the streams for about as long as creating the memory would take, because their work may
   * soon release memory. A poll costs some 1.5 us; a chunk costs some 24 us when it is created, and
   * again when it is released.
   */
  private @Nullable Block pollBriefly(StreamCache owner, long size, long alignment) {
    StreamCache alone = steal == StealPolicy.NEVER ? owner : null;
    long polls = pollsForChunk * (1 + size / POLLED_BYTES);
    for (int queries = 0; polls > 0 && queries < MOST_QUERIES; ) {
      List<StreamState> asked = heap.lagging(alone);
      if (asked.isEmpty()) {
        return null;
      }
      queries += asked.size();
      polls -= Math.max(1, asked.size() / STREAMS_OF_POLL);
      if (heap.settleMarks(asked)) {
        Block block = heap.take(owner, size, alignment);
        if (block != null) {
          return block;
        }
      }
    }
    return null;
  }

  /**
   * Finds a block in moved or new memory, or else by {@link OutOfMemoryRecovery}. Does not count
   * the block.
   */
  private Block findNew(StreamCache owner, long size, long requested, long alignment, String tag) {
    if (registry.hasEnded) {
      registry.giveBackEnded();
    }
    DeviceOutOfMemoryException refusal = null;
    try {
      Block block = heap.mayEverHave(size) ? heap.grow(owner, size, alignment) : null;
      if (block != null) {
        return block;
      }
    } catch (DeviceOutOfMemoryException e) {
      refusal = e;
    }
    return recovery.recover(owner, size, requested, alignment, tag, refusal);
  }

  /** Empties the thread caches into the heap, where blocks merge; returns the bytes. */
  long flush() {
    return streams.flush(heap);
  }

  /** Moves all free blocks to the heap, and settles what streams have passed. */
  void gather() {
    heap.free(pending.pollAll());
    flush();
    heap.settle(streams.all());
  }

  /**
   * Reserves memory up front, over virtual memory. A part of it is mapped in the region for small
   * blocks.
   *
   * @throws DeviceOutOfMemoryException if the device or the limit has too little
   */
  public void reserve(long bytes) {
    gate.inside(
        () -> {
          StreamCache owner = streams.of(device.getDefaultStream());
          long size = rules.round(bytes);
          long small = isAvailable(size) ? smallPartOf(size) : 0;
          // Too much is refused as a whole, so that the error says by how much.
          Block taken = findNew(owner, size - small, bytes, 1, "");
          try {
            for (long left = small; left > 0; left -= SizeRules.SMALL_LIMIT) {
              Block block = findNew(owner, SizeRules.SMALL_LIMIT, bytes, 1, "");
              block.nextCached = taken;
              taken = block;
            }
          } finally {
            heap.free(taken);
          }
          return true;
        });
  }

  private boolean isAvailable(long size) {
    return heap.mayEverHave(size)
        && heap.bytesFor(size, 1) <= Math.min(heap.limit.bytes(), heap.freeBytes());
  }

  /** Returns the bytes of small blocks, in whole pages, of the memory to reserve. */
  private long smallPartOf(long size) {
    long unit = Math.max(heap.bytesFor(1, 1), SizeRules.SMALL_LIMIT);
    return Math.min(MOST_SMALL, size / SMALL_PARTS) / unit * unit;
  }

  /**
   * Returns idle memory to the driver if a decay interval has ended. Never waits for another thread
   * or the device.
   */
  public void maybeDecay() {
    if (registry.decay != null) {
      registry.decay.tryRun();
    }
  }

  private void noteClose() {
    if (registry.decay != null) {
      registry.decay.noteClose();
    }
  }

  /**
   * Does the same as {@link #maybeDecay}, but waits for a thread that is decaying already. Returns
   * the bytes given back.
   */
  public long decay() {
    return registry.decay == null ? 0 : registry.decay.run();
  }

  long blockSizeOf(long bytes) {
    return rules.round(bytes);
  }

  /** Returns the size of the block that a request gets from new memory. */
  public long sizeOf(long bytes) {
    long size = rules.round(bytes);
    return heap.isVirtual() ? size : SizeRules.blockInSegment(size);
  }

  // ---- callbacks of the caches ----

  @Override
  public void free(Block block) {
    StreamCache owner = StreamCache.of(block);
    try {
      if (owner.isObserved) {
        UserError.runUser(() -> observer.freed(block.address, owner.stream));
      }
    } finally {
      if (block.isUsedElsewhere()) {
        freeLater(block, owner);
      } else {
        owner.give(block);
      }
    }
  }

  private void freeLater(Block block, StreamCache owner) {
    noteClose();
    block.epoch = owner.progress.epoch();
    // Read now: once the block is pending, another thread may take it at any moment.
    ThreadCache home = ThreadCache.of(block);
    long requested = block.requested;
    long size = block.size;
    TagAccount account = block.account;
    if (!pending.lock.lockIfIntact()) {
      return; // The close of the allocator returns the memory.
    }
    try {
      // One critical section, so that a recording has the event if and only if its snapshot has the
      // pending block.
      home.recordFreeRequested(block);
      pending.add(block);
    } finally {
      pending.lock.unlock();
      home.countPending(requested, size, account);
    }
    if (gate.isShut()) {
      closedAfterEnd();
    }
  }

  /** After the end of a private pool, its closes give memory back instead of caching it. */
  @Override
  public void closedAfterEnd() {
    registry.giveBackAfterClose(this);
  }

  @Override
  public void takeBack(Block first) {
    noteClose();
    heap.free(first);
  }

  @Override
  public void filled(ThreadCache cache) {
    streams.filled(cache);
  }

  /**
   * Records a use of a live block by a stream. After its close, the block becomes free once the
   * stream has completed the work before the close.
   */
  @Override
  public void recordUse(Block block, Stream stream) {
    requireUser(stream);
    if (!Streams.areSame(stream, block.owner().stream)) {
      block.addUse(stream);
      observer.used(block.address, stream);
    }
  }

  /**
   * Records a use of the block that holds an address.
   *
   * @return null if the address is not in this pool, else whether the block is live
   */
  public @Nullable Boolean recordUse(long address, Stream stream) {
    Block found = heap.blockAt(address);
    if (found == null) {
      return null;
    }
    boolean live = found.state() == Block.State.LIVE;
    if (live) {
      recordUse(found, stream);
    }
    return live;
  }

  /** Refuses a use by a stream of another device. */
  public void requireUser(Stream stream) {
    Streams.refuseForeignUse(stream, device, "the memory");
  }

  /**
   * Returns whether a stream must not be queried; its freed blocks then stay unsettled. While
   * graphs hold memory of a private pool, this applies to all streams of the pool, because a launch
   * uses memory that the streams passed long ago.
   */
  private boolean isUnqueryable(Stream stream) {
    return graphs.get() > 0 || captured.isUnqueryable(stream);
  }

  @Override
  public @Nullable HistoryWriter historyWriter(Stream stream) {
    HistoryRing ring = history.get();
    return ring == null ? null : new HistoryWriter(ring, id).forStream(stream);
  }

  /** Makes all caches write to the current history, or to none. */
  public void renewHistory() {
    streams.all().forEach(StreamCache::renewHistory);
  }

  /** Returns whether a history records each live block. */
  boolean isNoted() {
    return history.get() != null;
  }

  @Override
  public long nextWatched(long allocations) {
    return leaks.nextWatched(allocations);
  }

  @Override
  public void leaked() {
    heap.stats.add(Figure.LEAKS, 1);
  }

  // ---- private pools ----

  /** Adds a use; returns false if the pool has ended. */
  public boolean retain() {
    return uses.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
  }

  /** Ends a use. After the last use the pool ends, and gives its memory back. */
  public void release() {
    if (uses.decrementAndGet() == 0) {
      registry.end(this);
    }
  }

  /** Sets the action that closes the scopes and captures that finished threads left open here. */
  public void whenThreadsFinish(Runnable action) {
    closeFinished = action;
  }

  /**
   * Closes the scopes and captures that finished threads left open here. Must not be called by a
   * thread that is inside the gate of a pool.
   */
  void closeFinished() {
    closeFinished.run();
  }

  /** Ends the use that the pool is created with. */
  public void close() {
    if (closed.compareAndSet(false, true)) {
      closeFinished();
      release();
    }
  }

  /** Returns whether the pool or its allocator was closed. Scopes may still be open. */
  public boolean isClosed() {
    return closed.get() || gate.isShut();
  }

  /** Returns the number of open scopes and graphs, plus one until the pool is closed. */
  public int uses() {
    return uses.get();
  }

  /** Returns whether the pool is closed and no scope or graph is open. */
  boolean isEnded() {
    return uses.get() == 0;
  }

  /**
   * Closes the heap of an ended pool that holds no memory. Returns true for the call that does so.
   */
  synchronized boolean tryDispose() {
    if (disposed || !gate.isDeserted() || !statistics.isNothingHeld() || suspension.isSuspended()) {
      return false;
    }
    giveUpHeap();
    disposed = true;
    return true;
  }

  /** Returns whether an ended pool has memory to give back, or can be removed. */
  boolean hasFreeMemory() {
    if (health.isBroken()) {
      return false;
    }
    heap.free(pending.poll());
    heap.settle(streams.all());
    return heap.releasableBytes() > 0
        || statistics.isNothingHeld()
        || (suspension.isSuspended() && statistics.liveCount() == 0);
  }

  /** Returns whether the memory of the pool comes from the device, not from a user's source. */
  boolean isOfDevice() {
    return heap.totalBytes != Long.MAX_VALUE;
  }

  /** Returns the chunks that cannot return to the driver now, for a request of this alignment. */
  UnreleasableChunks unreleasable(long alignment) {
    return new UnreleasableChunks(heap, pending, graphs() > 0 || captured.isAny(), alignment);
  }

  /** Notes that a capture into this pool begins, which holds its memory. */
  public void beginGraph() {
    graphs.incrementAndGet();
  }

  /** Notes that a graph is closed, or that its capture failed. */
  public void endGraph() {
    graphs.decrementAndGet();
  }

  /** Returns the number of captures and graphs that hold memory of the pool. */
  public int graphs() {
    return graphs.get();
  }

  /** Returns whether work that may be waited for still uses freed memory. */
  boolean hasUnfinishedWork() {
    return pending.isAwaitable() || streams.all().stream().anyMatch(heap::isAwaitable);
  }

  // ---- closing ----

  /** Waits for all work and gives back all memory, addresses and events. */
  public void giveAllBack() {
    trimming.giveAllBack();
    giveUpHeap();
  }

  private void giveUpHeap() {
    heap.close();
    Batch.run(suspension::closeHost, this::giveUpEvents);
  }

  /** Gives back the memory of a broken pool, including blocks in use. No work uses it. */
  void abandon() {
    Batch.run(heap::abandon, suspension::closeHost, this::giveUpEvents);
  }

  /** Releases the events that track the progress of streams. */
  public void giveUpEvents() {
    clocks.close();
  }

  @Override
  public String toString() {
    return nameOf(id, device);
  }

  public static String nameOf(long id, Device device) {
    return (id == 0 ? "caching allocator" : "private pool " + id)
        + " of device "
        + device.getOrdinal();
  }
}
