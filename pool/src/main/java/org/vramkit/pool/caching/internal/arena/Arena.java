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
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.SegmentSource;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.internal.arena.PoolRegistry.Shared;
import org.vramkit.pool.caching.internal.cache.ArenaGate;
import org.vramkit.pool.caching.internal.cache.CacheBacking;
import org.vramkit.pool.caching.internal.cache.CachingAllocation;
import org.vramkit.pool.caching.internal.cache.EmptyAllocation;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.cache.StreamCaches;
import org.vramkit.pool.caching.internal.cache.ThreadCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.caching.internal.heap.HeldChunks;
import org.vramkit.pool.caching.internal.heap.PendingBlocks;
import org.vramkit.pool.caching.internal.heap.StreamState;
import org.vramkit.pool.caching.internal.history.HistoryRing;
import org.vramkit.pool.caching.internal.history.HistoryWriter;
import org.vramkit.pool.caching.internal.leak.LeakDetector;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;
import org.vramkit.pool.caching.internal.stats.TagAccount;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.CapturedStreams;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.StreamClocks;
import org.vramkit.pool.support.Streams;

/**
 * One pool of an allocator, with its own thread caches and heap: the default pool, or the
 * implementation of a private pool. Safe for any thread. {@link org.vramkit.pool.caching.internal}
 * describes how all parts work together.
 */
public final class Arena implements CacheBacking {
  /** The fraction of initial memory for small blocks. */
  private static final int SMALL_PARTS = 64;

  private static final long MOST_SMALL = 32 * ByteSize.MIB;

  /** Bytes of a chunk, about: for each, an allocation polls as often as creating it would take. */
  private static final long POLLED_BYTES = 20 * ByteSize.MIB;

  /** The most queries of one allocation, some 0.7 ms. */
  private static final int MOST_QUERIES = 512;

  /** Streams that are queried for the price of one, because each may release memory. */
  private static final int STREAMS_OF_POLL = 8;

  /** The number of a private pool; 0 for the default one. */
  public final long id;

  public final Heap heap;
  public final StreamCaches streams;
  public final PendingBlocks pending;
  public final ArenaGate gate;
  public final StatisticsReader statistics;
  public final Trimming trimming;
  public final Suspending suspending;
  private final PoolRegistry registry;
  private final OutOfMemoryRecovery recovery;
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

  /** The most bytes of a request that is not refused at once: see {@link #adoptLimit}. */
  private volatile long largestRequest;

  /** Ends what threads left open in a private pool that have finished. */
  private volatile Runnable closeFinished = () -> {};

  /** How many captures and graphs hold its memory. */
  private final AtomicInteger graphs = new AtomicInteger();

  /** Its open scopes and graphs, and one while it is not closed. */
  private final AtomicInteger uses = new AtomicInteger(1);

  private final AtomicBoolean closed = new AtomicBoolean();
  private boolean disposed;

  private final List<Reclaimer> reclaimers = new CopyOnWriteArrayList<>();

  /**
   * A pool without memory.
   *
   * @param books of the memory that it reserves
   * @param source of its segments; null for the allocator's kind of memory
   */
  Arena(
      long id,
      PoolRegistry registry,
      UsageGauge gauge,
      ReservedMemory books,
      @Nullable SegmentSource source) {
    this.id = id;
    this.registry = registry;
    Shared shared = registry.shared;
    this.device = shared.device();
    this.events = shared.events();
    this.captured = shared.captured();
    this.steal = shared.options().steal();
    this.pollsForChunk = shared.options().polls();
    this.history = shared.history();
    this.leaks = shared.leaks();
    this.refusals = shared.refusals();
    this.observer = device.getMemoryObserver();
    this.rules = new SizeRules(shared.options().roundingDivisions());
    this.clocks = new StreamClocks(captured, events, this::isUnasked, shared.options().clock());
    this.pending = new PendingBlocks(clocks, gauge, books.observer);
    Block.Table numbers = new Block.Table();
    boolean isMain = id == 0;
    this.heap = registry.newHeap(isMain, source, books, numbers);
    this.gate = new ArenaGate(toString(), () -> freezeCaches(), () -> thawCaches());
    StreamCache.Settings settings = StreamCache.Settings.of(shared.options(), heap.isVirtual());
    this.streams =
        new StreamCaches(stream -> newCache(ours(stream), settings, gauge, numbers), isMain);
    this.statistics =
        new StatisticsReader(
            heap,
            streams,
            pending,
            gauge,
            () -> suspendedBytes(),
            isMain ? registry::privateReaders : List::of);
    this.recovery = new OutOfMemoryRecovery(this, registry);
    this.trimming = new Trimming(heap, streams, pending, gate, statistics, captured);
    this.suspending = new Suspending(this, registry);
    adoptLimit();
  }

  /** Has allocations heed the limit over all pools, also those that find a block in a cache. */
  public synchronized void adoptLimit() {
    largestRequest = Math.min(heap.books.limitOfAll() & -SizeRules.QUANTUM, SizeRules.MAX_REQUEST);
  }

  /** Has a reclaimer asked before an allocation of this pool fails. */
  public boolean addReclaimer(Reclaimer reclaimer) {
    return reclaimers.add(Objects.requireNonNull(reclaimer, "reclaimer"));
  }

  public void removeReclaimer(Reclaimer reclaimer) {
    reclaimers.remove(reclaimer);
  }

  List<Reclaimer> reclaimers() {
    return reclaimers;
  }

  private void freezeCaches() {
    streams.freeze(heap);
  }

  /** A suspended pool has all closes come to the heap. */
  private void thawCaches() {
    if (!suspending.isSuspended()) {
      streams.thaw();
    }
  }

  private long suspendedBytes() {
    return suspending.suspendedBytes();
  }

  private StreamCache newCache(
      Stream stream, StreamCache.Settings settings, UsageGauge gauge, Block.Table numbers) {
    return new StreamCache(stream, clocks.of(stream), this, gate, settings, gauge, numbers);
  }

  private Stream ours(Stream stream) {
    Streams.refuseForeign(stream, device, "the allocator");
    return stream;
  }

  // ---- the hot path ----

  /** Allocates a block of any alignment. */
  public Allocation allocate(long bytes, Stream stream, String tag) {
    return bytes > 0 && bytes <= largestRequest
        ? allocateHere(bytes, stream, tag)
        : allocateUncommon(bytes, stream, tag);
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
      // Places in the table are dealt by hash: it may be another thread's, and then is not known.
      ThreadCache seen = cache == cache.owner.ownStripe() ? cache : null;
      return allocateSlow(handle, seen, stream, size, bytes, SizeRules.ALIGNMENT, tag);
    }
    handle.hold(block, block);
    return handle;
  }

  // The way of a close: CachingAllocation.close, ThreadCache.close.

  // ---- beside it ----

  /** Allocates a block whose address is a multiple of a power of two. */
  public Allocation allocate(long bytes, long alignment, Stream stream, String tag) {
    return alignment <= SizeRules.ALIGNMENT || bytes <= 0 || bytes > SizeRules.MAX_REQUEST / 2
        ? allocate(bytes, stream, tag)
        : allocateAlignedHere(bytes, alignment, stream, tag);
  }

  private Allocation allocateAlignedHere(long bytes, long alignment, Stream stream, String tag) {
    CachingAllocation handle = new CachingAllocation(bytes);
    return allocateSlow(handle, null, stream, rules.round(bytes), bytes, alignment, tag);
  }

  private Allocation allocateUncommon(long bytes, Stream stream, String tag) {
    if (bytes < 0) {
      throw new InvalidArgumentException("cannot allocate " + bytes + " bytes: negative");
    }
    if (bytes > SizeRules.MAX_REQUEST) {
      heap.books.outOfMemories.increment();
      throw new DeviceOutOfMemoryException(
          "cannot allocate "
              + bytes
              + " bytes: the maximum is 1 EiB; check whether the size has"
              + " overflowed",
          bytes,
          DriverStatus.NONE,
          null);
    }
    if (bytes > 0) {
      // Beyond the limit, which may have been lowered below a block that lies in a cache.
      return allocateAlignedHere(bytes, SizeRules.ALIGNMENT, stream, tag);
    }
    return new EmptyAllocation(ours(stream));
  }

  /**
   * Allocates where the thread cache has nothing that fits, or hides, or is not known, or another
   * thread holds it.
   *
   * @param seen this thread's cache, which has nothing that fits; null in the other cases
   */
  private Allocation allocateSlow(
      CachingAllocation handle,
      @Nullable ThreadCache seen,
      Stream stream,
      long size,
      long bytes,
      long alignment,
      String tag) {
    leaks.look();
    CachingAllocation.requireStack();
    Block block = findInside(seen, stream, size, bytes, alignment, tag);
    try {
      ThreadCache.of(block).enterName(block, tag);
      observer.allocated(block.address, bytes, stream, tag);
    } catch (RuntimeException | Error e) {
      // Where the observer fails, as that of a closed device does, no user has the block.
      StreamCache.of(block).give(block);
      throw e;
    }
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
      // No closure where nothing is captured: it would be garbage with each miss.
      return captured.isAny()
          ? captured.relaxed(() -> find(seen, stream, size, bytes, alignment, tag))
          : find(seen, stream, size, bytes, alignment, tag);
    } catch (AllocatorOutOfMemoryException e) {
      refused = e;
    } finally {
      gate.leave();
    }
    throw refusals.apply(refused);
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
        streams.rememberCache(known.ownStripe());
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
    heap.books.searches.increment();
    boolean possible = heap.mayEverHave(size);
    Block free = possible ? findFree(owner, size, alignment) : null;
    Block block = free == null ? findNew(owner, size, bytes, alignment, tag) : free;
    try {
      owner.account(block, bytes, free != null, heap.isContended());
      return block;
    } catch (RuntimeException | Error e) {
      heap.free(block);
      throw e;
    }
  }

  /** Finds a block that needs no memory from the driver, and moves none; null if there is none. */
  private @Nullable Block findFree(StreamCache owner, long size, long alignment) {
    // Closed blocks that other streams used are free once those have passed the close.
    heap.free(pending.poll());
    Block block = heap.take(owner, size, alignment);
    // Blocks in thread caches merge in the heap.
    if (block == null && streams.shrink(heap) > 0) {
      block = heap.take(owner, size, alignment);
    }
    if (block != null || heap.countUnsettled() == 0) {
      return block;
    }
    // Blocks that other streams have passed.
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
   * soon release memory. A poll costs some 1.5 us, a chunk that is created some 24 us and as much
   * again when it goes back.
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

  /** Finds a block of memory that moves or is new; else what the recovery finds. Not counted. */
  private Block findNew(StreamCache owner, long size, long requested, long alignment, String tag) {
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

  /**
   * Reserves memory up front. Small blocks have addresses of their own, so a part is laid there.
   *
   * @throws DeviceOutOfMemoryException if the device or the limit has too little
   */
  public void reserve(long bytes) {
    gate.inside(
        () -> {
          StreamCache owner = streams.of(device.getDefaultStream());
          long size = rules.round(bytes);
          // What the device cannot have at all is refused as a whole, before anything is taken.
          long most = heap.mayEverHave(size) ? Math.min(MOST_SMALL, size / SMALL_PARTS) : 0;
          long small = most / SizeRules.SMALL_LIMIT;
          Block taken = findNew(owner, size - small * SizeRules.SMALL_LIMIT, bytes, 1, "");
          try {
            for (long i = 0; i < small; i++) {
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

  /** Gives memory back that has been free for long, where that is due; mostly does nothing. */
  public void maybeDecay() {
    if (registry.decay != null) {
      registry.decay.ride();
    }
  }

  /** Does the same, also where another thread is at it; returns the bytes given back. */
  public long decay() {
    return registry.decay == null ? 0 : registry.decay.run();
  }

  /** The size of the block that a request takes of memory that is new. */
  public long sizeOf(long bytes) {
    long size = rules.round(bytes);
    return heap.isVirtual() ? size : SizeRules.blockInSegment(size);
  }

  // ---- what caches ask for ----

  @Override
  public void free(Block block) {
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
    try {
      // A reader of both finds the block pending if and only if its close is recorded.
      pending.lock.lock();
      try {
        home.noteFreeRequested(block);
        pending.add(block);
      } finally {
        pending.lock.unlock();
      }
    } finally {
      home.discharge(requested, size, account);
    }
  }

  @Override
  public void takeBack(Block first) {
    heap.free(first);
  }

  @Override
  public void filled(ThreadCache cache) {
    streams.filled(cache);
  }

  /** Records a use of a block that a user holds: it is not free before the stream has passed. */
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
   * @return null if the address is not of this pool, else whether the block was live
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
   * Returns whether a stream must not be asked how far it has come: what is not known cannot be
   * reused by others, moved or given back. While graphs hold memory of a private pool, that goes
   * for all its streams: a launch uses what the streams have passed long ago.
   */
  private boolean isUnasked(Stream stream) {
    return graphs.get() > 0 || captured.isUnasked(stream);
  }

  @Override
  public @Nullable HistoryWriter newHistoryWriter(Stream stream) {
    HistoryRing ring = history.get();
    return ring == null ? null : ring.newWriter(stream, id);
  }

  /** Follows a history that has begun or ended. */
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
    heap.books.leaks.increment();
  }

  // ---- as a private pool ----

  /** Adds a use; false if the pool has ended. */
  public boolean retain() {
    return uses.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
  }

  /** Ends a use; with the last one the pool ends, and gives its memory back. */
  public void release() {
    if (uses.decrementAndGet() == 0) {
      registry.end(this);
    }
  }

  /** Sets what ends scopes and captures that threads left open here when they finished. */
  public void whenThreadsFinish(Runnable action) {
    closeFinished = action;
  }

  /** Ends what threads left open here that have finished. Not from inside of a call. */
  void closeFinished() {
    closeFinished.run();
  }

  /** Ends the use that is there from the start. */
  public void close() {
    if (closed.compareAndSet(false, true)) {
      closeFinished();
      release();
    }
  }

  /** Returns whether it was closed, or its allocator; scopes may still be open. */
  public boolean isClosed() {
    return closed.get() || gate.isShut();
  }

  /** Its open scopes and graphs, and one more while it is not closed. */
  public int uses() {
    return uses.get();
  }

  /** Returns whether no scope can be opened any more and none is open. */
  boolean isEnded() {
    return uses.get() == 0;
  }

  /** Gives up the rest of an ended pool that holds nothing; true for the call that did. */
  synchronized boolean tryDispose() {
    if (disposed || !gate.isDeserted() || !statistics.isNothingHeld() || suspending.isSuspended()) {
      return false;
    }
    giveUpHeap();
    disposed = true;
    return true;
  }

  /** Bytes that it reserves and no live allocation holds, nor a capture after {@link #remedy}. */
  long keptBytes() {
    HeldChunks held = heldChunks();
    long kept = heap.books.held() - held.bytes();
    return graphs() > 0 && !captured.isAny() ? kept + held.capturedBytes() : kept;
  }

  /**
   * Returns whether its memory is the device's, and not that of a user's source, which tells
   * nothing.
   */
  boolean isOfDevice() {
    return heap.totalBytes != Long.MAX_VALUE;
  }

  /** Returns the chunks that cannot return now. */
  HeldChunks heldChunks() {
    return new HeldChunks(heap, pending, graphs() > 0 || captured.isAny());
  }

  /** Tells how it gives back what it keeps, while it has not ended. */
  String remedy() {
    int graphs = graphs();
    if (graphs > 0) {
      boolean hasScopes = isClosed() && uses() > graphs;
      return "close the graphs "
          + (hasScopes ? "and end the open scopes of " : "of ")
          + this
          + (isClosed() ? "" : " and trim it");
    }
    if (isClosed()) {
      return "end the open scopes of " + this;
    }
    return (uses() > 1 ? "trim " : "close or trim ") + this;
  }

  /** A capture into this pool begins, and with it a hold on its memory. */
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

  /** Returns whether work of the device still uses freed memory, and may be waited for. */
  boolean isMoreToPass() {
    return pending.isAwaitable() || streams.all().stream().anyMatch(heap::isAwaitable);
  }

  // ---- its end ----

  /** Waits for all work, and leaves nothing. */
  public void giveAllBack() {
    if (!heap.isBroken()) {
      trimming.giveAllBack();
    }
    giveUpHeap();
  }

  private void giveUpHeap() {
    if (heap.isBroken()) {
      heap.abandon();
    } else {
      heap.close();
    }
    suspending.closeHost();
    giveUpEvents();
  }

  /** Gives the events back that mark how far streams have come. */
  public void giveUpEvents() {
    clocks.close();
  }

  @Override
  public String toString() {
    return nameOf(id, device);
  }

  /** The name of a pool, for people. */
  public static String nameOf(long id, Device device) {
    return (id == 0 ? "caching allocator" : "private pool " + id)
        + " of device "
        + device.getOrdinal();
  }
}
