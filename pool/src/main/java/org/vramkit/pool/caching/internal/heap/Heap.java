package org.vramkit.pool.caching.internal.heap;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.error.Batch;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.heap.Region.Chunk;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.Option;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.PoolHealth;
import org.vramkit.pool.support.PoolLock;
import org.vramkit.pool.support.Remedies;
import org.vramkit.pool.support.Stats;
import org.vramkit.pool.support.StreamProgress;

/**
 * The heap of one pool: splits and merges free blocks of a device's memory, and manages the chunks
 * beneath them.
 *
 * <h2>Regions, blocks and chunks</h2>
 *
 * A {@link Region} is a range of addresses. Blocks tile it without gaps. Beneath the addresses lie
 * chunks of memory, which a {@link MemorySource} takes from the driver, moves and gives back. A
 * free block either has memory beneath all of it, or none: free addresses without memory are a
 * {@link Block.Place#HOLE}. Blocks up to 1 MiB have regions of their own, because a small block
 * between two large free ranges keeps them from merging.
 *
 * <pre>
 * region  |------------------------- range of addresses -------------------------|
 * blocks  | taken  | settled    | taken          | hole            | unsettled   |
 * chunks  |-- 1 ---|-- 2 --|-- 3 --|----- 4 -----|                 |----- 5 -----|
 * </pre>
 *
 * Here chunk 2 may move or return. Chunk 3 lies partly beneath a taken block, and work of a stream
 * may still use chunk 5.
 *
 * <h2>Which stream may take a free block</h2>
 *
 * Work of the stream that freed a block may still use it. Until the stream has passed the free (see
 * {@link StreamProgress}) the block is <em>unsettled</em>: only that stream may take it, and it
 * merges only with neighbours of that stream. Afterwards the block is <em>settled</em>: any stream
 * may take it, it merges with any settled neighbour, and its chunks may move or return to the
 * driver. If the stream was idle at its last query, the freed block absorbs its settled neighbours,
 * so a program with one stream merges blocks without queries.
 *
 * <p>docs/architecture.md lists the five rules by which a heap takes, queries, polls and grows.
 *
 * <h2>Locks</h2>
 *
 * {@code growth} is shared by all pools of an allocator. Its holder alone may take, move or give
 * back memory, and makes the driver calls for this. {@code lock} guards blocks, regions and
 * indexes. It is held for searches and splits, never across a driver call. {@code growth} is
 * acquired before {@code lock}. The lock of the pending frees comes before both, the locks of
 * thread caches come after them; only a snapshot holds these together.
 */
public final class Heap {
  /** The most streams to query in one call; further streams have their turn in later calls. */
  public static final int MOST_QUERIED = 32;

  /** The size of the addresses that a heap may reserve, as a multiple of the device's memory. */
  public static final long MOST_ADDRESSES = 8;

  /** How many fits a search examines for one that has room for an aligned block. */
  private static final int ALIGNED_FITS = 64;

  public final PoolLock lock;

  /**
   * Held by the thread that takes, moves or returns memory of any pool, so that limits and peaks
   * over all pools are exact.
   */
  public final PoolLock growth;

  final PoolHealth health;

  /** The memory that this heap and those of the other pools may reserve. */
  public final MemoryLimit limit;

  public final Stats stats;

  /** Notified of growth, moves and trims. */
  public final PoolObserver observer;

  public final MoveBudget budget;

  /** Bytes of the device's memory; {@link Long#MAX_VALUE} if unknown. */
  public final long totalBytes;

  /** The device to query for free memory; null if the driver cannot report it. */
  private final @Nullable Device device;

  final MemorySource source;
  private final Block.Table numbers;
  private final boolean neverSteals;

  // Guarded by the lock.
  private final FreeIndex settledSmall = new FreeIndex();
  private final FreeIndex settledLarge = new FreeIndex();
  private final FreeIndex holesSmall = new FreeIndex();
  private final FreeIndex holesLarge = new FreeIndex();
  private final StreamState.Unsettled unsettled = new StreamState.Unsettled();
  private int searches;

  /** A block that is about to leave its index, with its key there; null outside of a change. */
  private @Nullable Block entry;

  private long entryAddress;
  private long entrySize;

  /** Counts the needed memory for the decay; null without decay. */
  private final @Nullable NeededMemory need;

  /** Bytes of all chunks. Written under the growth lock. */
  private volatile long reserved;

  /**
   * Creates a heap without memory.
   *
   * @param device the device of the memory; null for a user's source, whose device is unknown
   * @param growth shared by all pools of an allocator
   * @param limit what the heap may reserve; the figures of the heap are those of the limit
   * @param source creates the source of the heap's memory
   */
  public Heap(
      @Nullable Device device,
      PoolHealth health,
      PoolLock growth,
      CachingAllocatorOptions options,
      MemoryLimit limit,
      PoolObserver observer,
      MoveBudget budget,
      Block.Table numbers,
      Function<Heap, MemorySource> source) {
    this.limit = limit;
    this.stats = limit.stats;
    this.observer = observer;
    this.health = health;
    this.lock = new PoolLock(health);
    this.growth = growth;
    this.budget = budget;
    this.numbers = numbers;
    this.neverSteals = options.get(Option.STEAL) == StealPolicy.NEVER;
    DeviceProperties properties = device == null ? null : device.getProperties();
    this.totalBytes = properties == null ? Long.MAX_VALUE : properties.totalMemoryBytes();
    // An integrated device reports less free memory than it can provide: the host's file caches
    // shrink on demand.
    this.device = properties == null || properties.integrated() ? null : device;
    this.need = options.isDefault(Option.DECAY) ? null : new NeededMemory();
    this.source = source.apply(this);
  }

  /** Returns whether the regions are address ranges of virtual memory, which grow. */
  public boolean isVirtual() {
    return source instanceof VirtualMemorySource;
  }

  /** Returns whether threads wait for the lock at this moment. */
  public boolean isContended() {
    return lock.hasQueuedThreads();
  }

  // ---- taking ----

  /** Takes the best fit among free blocks; null if nothing fits. */
  public @Nullable Block take(StreamState owner, long size, long alignment) {
    lock.lock();
    try {
      return fit(owner, size, alignment, false);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes the best fit; null if nothing fits. Called under the lock.
   *
   * @param wasteful whether a much larger block may serve
   */
  @Nullable Block fit(StreamState owner, long size, long alignment, boolean wasteful) {
    Block best = bestFit(owner, size, alignment, SizeRules.isSmall(size), wasteful);
    return best == null ? null : take(best, owner, size, alignment);
  }

  /**
   * Takes a large block for a small request, or a small block for a large one, as memory is scarce.
   * Called under the lock.
   */
  @Nullable Block fitOther(StreamState owner, long size, long alignment) {
    Block best = bestFit(owner, size, alignment, !SizeRules.isSmall(size), true);
    return best == null ? null : take(best, owner, size, alignment);
  }

  private @Nullable Block bestFit(
      StreamState owner, long size, long alignment, boolean small, boolean wasteful) {
    Block own = bestFit(owner.unsettled(small), size, alignment, wasteful);
    if (own != null && isApart(owner)) {
      return own;
    }
    Block shared = bestFit(settled(small), size, alignment, wasteful);
    if (own == null && shared == null && alignment <= SizeRules.ALIGNMENT) {
      // An unsettled segment cannot return to the driver yet, so keeping it whole gains nothing.
      own = source.wholeFit(owner.unsettled(small), size, true);
      shared = source.wholeFit(settled(small), size, wasteful);
    }
    return shared != null && (own == null || shared.size <= own.size) ? shared : own;
  }

  private @Nullable Block bestFit(FreeIndex index, long size, long alignment, boolean wasteful) {
    return alignment > SizeRules.ALIGNMENT
        ? alignedFit(index, size, alignment)
        : source.bestFit(index, size, wasteful);
  }

  private static @Nullable Block alignedFit(FreeIndex index, long size, long alignment) {
    Iterator<Block> fits = index.fits(size);
    for (int i = 0; i < ALIGNED_FITS && fits.hasNext(); i++) {
      Block free = fits.next();
      if (alignUp(free.address, alignment) + size <= free.end()) {
        return free;
      }
    }
    return null;
  }

  static long alignUp(long address, long alignment) {
    return (address + alignment - 1) & -alignment;
  }

  Block take(Block free, StreamState owner, long size, long alignment) {
    if (alignment > SizeRules.ALIGNMENT) {
      return carve(free, alignUp(free.address, alignment), size, owner);
    }
    return carve(free, source.addressIn(free, size), source.takenOf(free, size), owner);
  }

  int nextSearch() {
    return ++searches;
  }

  /**
   * Takes a part of a span of free blocks for a stream. Called under the lock.
   *
   * @param first a block of the span that does not begin after {@code address}
   */
  Block carve(Block first, long address, long size, StreamState owner) {
    Block taken = carve(first, address, size);
    taken.giveTo(owner);
    noteNeed();
    return taken;
  }

  /** Takes a part of a span of free blocks, without a new owner, to move or suspend it. */
  Block carve(Block first, long address, long size) {
    try {
      return carveWhole(first, address, size);
    } catch (Error e) {
      // Before the lock is released: the links and indexes may disagree.
      health.slowPath = true;
      health.brokenBy = e;
      throw e;
    }
  }

  private Block carveWhole(Block first, long address, long size) {
    assert lock.isHeldByCurrentThread();
    assert address >= first.address;
    long end = address + size;
    Block taken = first;
    if (address == taken.address && size < taken.size) {
      takeEntry(taken, taken);
      enter(split(taken, size));
      return markTaken(taken);
    }
    while (taken.end() <= address) {
      taken = requireNonNull(taken.next);
    }
    remove(taken);
    if (taken.address < address) {
      Block rest = taken;
      taken = split(rest, address - rest.address);
      insert(rest);
    }
    cutAt(taken, end);
    while (taken.end() < end) {
      Block right = requireNonNull(taken.next);
      remove(right);
      cutAt(right, end);
      join(taken, right);
    }
    return markTaken(taken);
  }

  private Block markTaken(Block block) {
    block.place = Block.Place.TAKEN;
    numbers.give(block);
    return block;
  }

  private void cutAt(Block piece, long end) {
    if (piece.end() > end) {
      insert(split(piece, end - piece.address));
    }
  }

  // ---- giving back ----

  /**
   * Frees blocks, linked by {@code nextCached}; null for none. Does nothing if the heap is broken.
   */
  public void free(@Nullable Block first) {
    if (first == null || !lock.lockIfIntact()) {
      return;
    }
    List<StreamState> ended = List.of();
    try {
      for (Block block = first; block != null; ) {
        Block rest = block.nextCached;
        block.nextCached = null;
        StreamState owner = block.owner();
        if (owner.ended && !ended.contains(owner)) {
          ended = new ArrayList<>(ended);
          ended.add(owner);
        }
        putBack(block);
        block = rest;
      }
    } finally {
      lock.unlock();
    }
    settle(ended);
  }

  /** Frees a taken block: unsettled until its stream has passed the free. Called under the lock. */
  private void putBack(Block block) {
    block.requested = 0;
    block.account = null;
    if (block.suspended) {
      block.place = Block.Place.SUSPENDED;
      return;
    }
    boolean passed = block.epoch <= block.owner().progress.settled();
    insertMerged(block, passed ? Block.Place.SETTLED : Block.Place.UNSETTLED);
  }

  /** Merges a block with its neighbours and adds it to an index. Called under the lock. */
  void insertMerged(Block block, Block.Place place) {
    try {
      insertWhole(block, place);
    } catch (Error e) {
      // Before the lock is released: the links and indexes may disagree.
      health.slowPath = true;
      health.brokenBy = e;
      throw e;
    }
  }

  private void insertWhole(Block block, Block.Place place) {
    assert lock.isHeldByCurrentThread();
    block.place = place;
    Block merged = block;
    Block before = merged.previous;
    while (before != null && joins(merged, before)) {
      takeEntry(before, merged);
      merged = join(like(merged, before), merged);
      before = merged.previous;
    }
    Block after = merged.next;
    while (after != null && joins(merged, after)) {
      takeEntry(after, merged);
      merged = join(merged, like(merged, after));
      after = merged.next;
    }
    enter(merged);
  }

  private static boolean joins(Block free, Block neighbour) {
    return merges(free, neighbour) || absorbs(free, neighbour);
  }

  private static boolean merges(Block left, Block right) {
    return left.place == right.place
        && switch (left.place) {
          case SETTLED, HOLE -> true;
          case UNSETTLED -> left.streamState == right.streamState;
          case TAKEN, STUCK, SUSPENDED -> false;
        };
  }

  /** Returns whether a block absorbs a settled neighbour: its stream was idle at the last query. */
  private static boolean absorbs(Block free, Block neighbour) {
    return free.place == Block.Place.UNSETTLED
        && neighbour.place == Block.Place.SETTLED
        && free.owner().progress.isCaughtUp();
  }

  /** Gives a settled neighbour the place and the stream of the block that absorbs it. */
  private static Block like(Block block, Block neighbour) {
    if (neighbour.place != block.place) {
      neighbour.place = block.place;
      neighbour.streamState = block.streamState;
      // An epoch of another stream says nothing about this one.
      neighbour.epoch = block.epoch;
    }
    return neighbour;
  }

  // ---- links and indexes, locked ----

  private Block join(Block left, Block right) {
    assert left.next == right && left.end() == right.address && left.region == right.region;
    left.size += right.size;
    left.epoch = Math.max(left.epoch, right.epoch);
    left.next = right.next;
    if (right.next != null) {
      right.next.previous = left;
    }
    right.place = Block.Place.TAKEN;
    numbers.takeBack(right);
    right.region.keepSpare(right);
    return left;
  }

  /** Splits a block and returns its upper part, which gets the place and stream of the block. */
  Block split(Block block, long lowerSize) {
    assert lowerSize > 0 && lowerSize < block.size;
    Block upper = block.region.newPiece();
    upper.address = block.address + lowerSize;
    upper.size = block.size - lowerSize;
    upper.place = block.place;
    upper.streamState = block.streamState;
    upper.epoch = block.epoch;
    upper.previous = block;
    upper.next = block.next;
    if (block.next != null) {
      block.next.previous = upper;
    }
    block.next = upper;
    block.size = lowerSize;
    return upper;
  }

  /** Splits a taken block and returns its upper part, with a number of its own. */
  Block splitTaken(Block block, long lowerSize) {
    Block upper = split(block, lowerSize);
    numbers.give(upper);
    return upper;
  }

  void insert(Block block) {
    if (need != null) {
      need.count(block, block.address, block.size, 1);
    }
    indexOf(block).add(block);
    if (block.place == Block.Place.UNSETTLED) {
      block.owner().noteUnsettled(block.epoch);
      unsettled.entered(block.owner());
    }
  }

  /** Removes a block, or keeps its entry of the index if {@link #enter} inserts {@code next}. */
  private void takeEntry(Block block, Block next) {
    if (entry == null && indexOf(block) == indexOf(next)) {
      entry = block;
      entryAddress = block.address;
      entrySize = block.size;
    } else {
      remove(block);
    }
  }

  /** Inserts a block, in place of the kept entry if there is one. */
  private void enter(Block block) {
    Block old = entry;
    if (old == null) {
      insert(block);
      return;
    }
    entry = null;
    if (need != null) {
      need.count(block, entryAddress, entrySize, -1);
      need.count(block, block.address, block.size, 1);
    }
    indexOf(block).replace(old, entrySize, entryAddress, block);
    if (block.place == Block.Place.UNSETTLED) {
      block.owner().noteUnsettled(block.epoch);
    }
  }

  void remove(Block block) {
    if (need != null) {
      need.count(block, block.address, block.size, -1);
    }
    indexOf(block).remove(block);
    if (block.place == Block.Place.UNSETTLED) {
      unsettled.left(block.owner());
    }
  }

  private FreeIndex indexOf(Block free) {
    boolean small = free.region.small;
    return switch (free.place) {
      case SETTLED -> settled(small);
      case UNSETTLED -> free.owner().unsettled(small);
      case HOLE -> holes(small);
      case TAKEN, STUCK, SUSPENDED ->
          throw new IllegalStateException("a taken block is in no index");
    };
  }

  FreeIndex settled(boolean small) {
    return small ? settledSmall : settledLarge;
  }

  FreeIndex holes(boolean small) {
    return small ? holesSmall : holesLarge;
  }

  /** Removes the only block of a region that has ended. Called under the lock. */
  void end(Block block) {
    numbers.takeBack(block);
  }

  // ---- how far streams have come ----

  /** Returns whether to keep a stream's blocks apart from others. Called under the lock. */
  boolean isApart(StreamState owner) {
    return unsettled.hasOther(owner) && (neverSteals || owner.progress.isFarBehind());
  }

  /**
   * Queries the streams that have unsettled blocks, and settles the blocks that they have passed.
   * Returns whether any block was settled.
   */
  public boolean settle(Collection<? extends StreamState> streams) {
    if (streams.isEmpty()) {
      return false;
    }
    List<StreamState> lagging = new ArrayList<>();
    lock.lock();
    try {
      for (StreamState each : streams) {
        if (each.hasUnsettled()) {
          lagging.add(each);
        }
      }
    } finally {
      lock.unlock();
    }
    return query(lagging, StreamProgress::advance);
  }

  /**
   * Does the same as {@link #settle} for at most {@link #MOST_QUERIED} streams, those first that
   * were queried longest ago.
   */
  public boolean settleSome(Collection<? extends StreamState> streams) {
    boolean few = streams.size() <= MOST_QUERIED || countUnsettled() <= MOST_QUERIED;
    return few ? settle(streams) : query(oldest(), StreamProgress::advance);
  }

  /**
   * Returns the streams to poll now: at most {@link #MOST_QUERIED} streams that have unsettled
   * blocks, those first that were queried longest ago.
   *
   * @param alone the only stream to consider; null for all streams
   */
  public List<StreamState> lagging(@Nullable StreamState alone) {
    if (alone != null) {
      return hasUnsettled(alone) ? List.of(alone) : List.of();
    }
    return oldest();
  }

  /**
   * Queries the events recorded into the streams earlier, and settles the blocks that the streams
   * have passed. Returns whether any block was settled.
   */
  public boolean settleMarks(List<StreamState> queried) {
    boolean all = queried.size() < MOST_QUERIED;
    return query(queried, all ? StreamProgress::queryMarks : StreamProgress::queryMarksOrAdvance);
  }

  private boolean query(List<StreamState> queried, Consumer<StreamProgress> question) {
    try {
      for (StreamState each : queried) {
        question.accept(each.progress);
      }
    } catch (RuntimeException | Error e) {
      // If one query fails, the blocks that the other streams have passed are settled nevertheless.
      Batch.after(e, () -> settlePassed(queried));
      throw e;
    }
    return !queried.isEmpty() && settlePassed(queried);
  }

  private List<StreamState> oldest() {
    return lock.change(() -> unsettled.next(MOST_QUERIED));
  }

  /** Settles the blocks that these streams are known to have passed. */
  private boolean settlePassed(List<StreamState> streams) {
    boolean any = false;
    lock.lock();
    try {
      for (StreamState each : streams) {
        if (need != null) {
          need.asked(each);
        }
        // Visits every block, so a poll skips streams that have made no progress.
        if (each.isAhead()) {
          any |= settlePassed(each, each.unsettledSmall);
          any |= settlePassed(each, each.unsettledLarge);
        }
      }
    } finally {
      lock.unlock();
    }
    return any;
  }

  private boolean settlePassed(StreamState stream, FreeIndex free) {
    boolean any = false;
    long passed = stream.progress.settled();
    for (Block block : free.copy()) {
      // The block may have merged into an earlier one of this loop.
      if (block.place == Block.Place.UNSETTLED && block.epoch <= passed) {
        remove(block);
        insertMerged(block, Block.Place.SETTLED);
        any = true;
      }
    }
    return any;
  }

  public int countUnsettled() {
    return lock.read(unsettled::count);
  }

  public boolean hasUnsettled(StreamState stream) {
    return lock.read(stream::hasUnsettled);
  }

  /** Returns whether a stream has unsettled blocks, and may be queried and waited for now. */
  public boolean isAwaitable(StreamState stream) {
    return hasUnsettled(stream) && !stream.progress.isUnqueryable();
  }

  /** Settles the blocks of a stream after a wait for it, and counts the wait. */
  public void settleAwaited(StreamState stream) {
    stats.add(Figure.SYNCHRONIZATIONS, 1);
    settlePassed(List.of(stream));
  }

  public long unsettledBytes(StreamState stream) {
    return lock.read(() -> stream.unsettledSmall.bytes() + stream.unsettledLarge.bytes());
  }

  /**
   * Takes a block that another stream may still use, and makes the new stream wait for it.
   *
   * @return null if no block is large enough, its stream is closed, or a stream must not be queried
   */
  public @Nullable Block steal(
      StreamState thief,
      long size,
      long alignment,
      Collection<? extends StreamState> streams,
      EventPool events) {
    if (streams.stream().anyMatch(each -> each.progress.isUnqueryable())) {
      // A wait between captured and other work would invalidate the capture.
      return null;
    }
    Block block;
    StreamState victim;
    lock.lock();
    try {
      Block best = bestToSteal(thief, size, alignment, streams);
      if (best == null) {
        return null;
      }
      victim = best.owner();
      block = take(best, victim, size, alignment);
    } finally {
      lock.unlock();
    }
    boolean ordered = false;
    try {
      ordered = events.makeWait(thief.stream, victim.stream);
    } finally {
      if (!ordered) {
        free(block);
      }
    }
    if (!ordered) {
      return null;
    }
    block.giveTo(thief);
    stats.add(Figure.STEALS, 1);
    return block;
  }

  private @Nullable Block bestToSteal(
      StreamState thief, long size, long alignment, Collection<? extends StreamState> streams) {
    boolean small = SizeRules.isSmall(size);
    Block best = null;
    for (StreamState each : streams) {
      Block fit = each == thief ? null : bestToSteal(each, size, alignment, small);
      if (fit != null && (best == null || fit.size < best.size)) {
        best = fit;
      }
    }
    return best;
  }

  /**
   * Returns the best fit to steal from one stream. Over virtual memory, a small request may also
   * steal a large block, and a large request a small one.
   */
  private @Nullable Block bestToSteal(
      StreamState victim, long size, long alignment, boolean small) {
    Block fit = bestFit(victim.unsettled(small), size, alignment, true);
    return fit == null && isVirtual()
        ? bestFit(victim.unsettled(!small), size, alignment, true)
        : fit;
  }

  // ---- growing and giving back to the driver ----

  /**
   * Moves memory or takes it from the driver, and takes a block of it.
   *
   * @return null if the limits allow no more
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if the driver refused
   */
  public @Nullable Block grow(StreamState owner, long size, long alignment) {
    return growth.change(() -> source.grow(owner, size, alignment));
  }

  /** Gives settled memory back until at most {@code keepBytes} are reserved by all pools. */
  public long release(long keepBytes) {
    return growth.change(() -> source.release(Math.max(0, limit.reserved() - keepBytes), true));
  }

  /**
   * Gives settled memory of this heap back, until it has reserved {@code keepBytes} and never less.
   * Counts the bytes as decayed, even if the driver fails halfway.
   *
   * @return bytes given back
   */
  public long decayTo(long keepBytes) {
    growth.lock();
    long before = reserved;
    try {
      return source.release(Math.max(0, before - keepBytes), false);
    } finally {
      stats.add(Figure.DECAYED, before - reserved);
      growth.unlock();
    }
  }

  /**
   * Gives all memory and addresses back.
   *
   * @throws IllegalStateException if a block is still taken
   */
  public void close() {
    growth.lock();
    try {
      source.release(reserved, true);
      if (reserved != 0) {
        throw new IllegalStateException(
            "cannot close: " + ByteSize.format(reserved) + " are still in use");
      }
      source.close();
    } finally {
      growth.unlock();
    }
  }

  /** Returns the most bytes that can be reserved within the limit and on the device. */
  long mostReserved() {
    return Math.min(limit.bytes(), totalBytes);
  }

  /** Counts a chunk that the driver has created. */
  void taken(Chunk chunk) {
    assert growth.isHeldByCurrentThread();
    long before = reserved;
    reserved = before + chunk.size;
    stats.add(Figure.RESERVED, chunk.size);
    stats.add(Figure.SEGMENTS, 1);
  }

  /** Counts a chunk that has returned to the driver, and reports it. */
  void givenBack(Chunk chunk, long address) {
    long before = reserved;
    reserved = before - chunk.size;
    stats.add(Figure.RESERVED, -chunk.size);
    stats.add(Figure.SEGMENTS, -1);
    observer.givenBack(address, chunk.size);
  }

  long reservedBytes() {
    return reserved;
  }

  /** Returns whether the device and the limits are large enough for a block. Calls no driver. */
  public boolean mayEverHave(long size) {
    return size <= totalBytes && size <= Math.min(limit.bytes(), limit.own());
  }

  /** Returns the free bytes of the device; {@link Long#MAX_VALUE} if they are unknown. */
  public long freeBytes() {
    if (device == null) {
      return Long.MAX_VALUE;
    }
    // The next driver call reports the failure.
    MemoryInfo info = Remedies.infoOf(device, untold -> {});
    return info == null ? Long.MAX_VALUE : info.freeBytes();
  }

  /** Returns the bytes of chunks that serve a request wherever they are mapped. */
  public long bytesFor(long size, long alignment) {
    return source.bytesFor(size, alignment);
  }

  /** Returns the least bytes that a growth for a request would take from the driver now. */
  public long bytesToTake(long size) {
    return source.bytesToTake(size);
  }

  /**
   * Returns the bytes of chunks that lie wholly in settled blocks. Visits all blocks that are large
   * enough for a chunk.
   */
  public long releasableBytes() {
    return lock.read(
        () -> {
          long bytes = 0;
          for (FreeIndex index : List.of(settledSmall, settledLarge)) {
            for (FreeIndex.Walk large = index.fits(source.bytesFor(1, 1)); large.hasNext(); ) {
              Block block = large.next();
              bytes += block.region.wholeBytes(block.address, block.end());
            }
          }
          return bytes;
        });
  }

  /**
   * Returns the peak of the needed bytes since the last call. Called only with decay.
   *
   * @see NeededMemory
   */
  public long takeNeed() {
    return lock.change(() -> requireNonNull(need).take(reserved));
  }

  /** Updates the peak of {@link #takeNeed}. Called under the lock. */
  void noteNeed() {
    if (need != null) {
      need.note(reserved);
    }
  }

  /** Gives back the memory of a broken heap, including blocks in use. */
  public void abandon() {
    growth.toClose(source::abandon);
  }

  // ---- looking at blocks ----

  /** Returns all regions. Called under the lock. */
  public List<Region> regions() {
    return source.regions();
  }

  /** Returns the reserved bytes that lie beneath no usable block. */
  public long unplacedBytes() {
    return source.unplacedBytes();
  }

  /** Visits every block with memory, under the lock. */
  public void eachBlock(Consumer<Block> visitor) {
    lock.lock();
    try {
      for (Region region : source.regions()) {
        for (Block block = region.first; block != null; block = block.next) {
          if (block.isMemory()) {
            visitor.accept(block);
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the block that contains an address; null if there is none. */
  public @Nullable Block blockAt(long address) {
    lock.lock();
    try {
      for (Region region : source.regions()) {
        if (region.holds(address)) {
          Block block = region.first;
          while (block.end() <= address) {
            block = requireNonNull(block.next);
          }
          return block;
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  public long settledBytes() {
    return lock.read(() -> settledSmall.bytes() + settledLarge.bytes());
  }

  /** Returns the number of settled blocks and of unsettled blocks of these streams. */
  public long countFree(Collection<? extends StreamState> streams) {
    return lock.read(
        () -> {
          long count = (long) settledSmall.count() + settledLarge.count();
          for (StreamState each : streams) {
            count += each.unsettledSmall.count() + each.unsettledLarge.count();
          }
          return count;
        });
  }
}
