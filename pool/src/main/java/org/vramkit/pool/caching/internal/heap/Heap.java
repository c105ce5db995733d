package org.vramkit.pool.caching.internal.heap;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.internal.heap.Region.Chunk;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.StreamProgress;

/**
 * The heap of one pool: free blocks of a device's memory, split and merged, and the chunks beneath
 * them.
 *
 * <h2>Regions, blocks and chunks</h2>
 *
 * A {@link Region} is a range of addresses. Blocks tile it without gaps. Beneath the addresses lie
 * chunks of memory, which a {@link MemorySource} takes from the driver, moves and gives back. A
 * free block either has memory beneath all of it or none: addresses without memory are a {@link
 * Block.Place#HOLE}. Blocks up to 1 MiB have regions of their own, because a small block between
 * two large ranges keeps these apart.
 *
 * <h2>Which stream may take a free block</h2>
 *
 * Work of the stream that freed a block may still use it. Until the stream has passed the free (see
 * {@link StreamProgress}) the block is <em>unsettled</em>: only that stream may take it, and it
 * merges with neighbours of that stream alone. Afterwards it is <em>settled</em>: any stream may
 * take it, it merges with any settled neighbour, and its chunks may move or go back. A block that
 * is freed by a stream which was idle when it was last asked absorbs its settled neighbours, so a
 * program with one stream merges without asking.
 *
 * <h2>Five rules</h2>
 *
 * <ol>
 *   <li>An allocation takes the best fit among settled blocks and its stream's own.
 *   <li>Where nothing fits, all streams are asked how far they have come.
 *   <li>Before memory is taken the streams are polled for as long as taking it would last.
 *   <li>New memory goes where least of it is missing. Free chunks from elsewhere move there as far
 *       as the {@link MoveBudget} allows; the driver creates the rest.
 *   <li>A chunk is at most half of its block: {@link VirtualMemorySource}.
 * </ol>
 *
 * <h2>Locks</h2>
 *
 * {@code growth}, which all pools of an allocator share, lets one thread at a time take, move or
 * give back memory, with the driver calls that this needs. {@code lock} guards blocks, regions and
 * indexes; it is held for searches and splits, never across a driver call. Order: {@code growth},
 * {@code lock}; thread caches and pending frees are locked under neither.
 */
public final class Heap {
  /** Streams that are asked at once; a program with more streams asks the others the next time. */
  public static final int MOST_ASKED = 32;

  /** The most addresses that a heap reserves, as a multiple of the device's memory. */
  public static final long MOST_ADDRESSES = 8;

  /** Fits that are looked at for one in which an aligned block has room. */
  private static final int ALIGNED_FITS = 64;

  public final ReentrantLock lock = new ReentrantLock();

  public final ReentrantLock growth;

  public final ReservedMemory books;

  /** The time that may go into moving memory. */
  public final MoveBudget budget;

  /** Bytes that the device has in all; {@link Long#MAX_VALUE} if unknown. */
  public final long totalBytes;

  /** Answers the most bytes that were live at once in all pools. */
  final LongSupplier livePeak;

  /** Asked for free memory; null where the driver does not tell. */
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

  /** Bytes of chunks that lie wholly in settled blocks. */
  private long releasableBytes;

  /** The most bytes that were needed at once since {@link #takeNeed}. */
  private long needed;

  /**
   * The JVM error that interrupted a change of blocks or indexes, which are unclear since. Later
   * changes fail with it, and the close returns memory by chunks.
   */
  volatile @Nullable Error brokenBy;

  /** Bytes of all chunks. Written under the growth lock. */
  private volatile long reserved;

  private Heap(
      @Nullable Device device,
      CachingAllocatorOptions options,
      ReservedMemory books,
      MoveBudget budget,
      LongSupplier livePeak,
      Block.Table numbers,
      Function<Heap, MemorySource> source) {
    this.books = books;
    this.growth = books.growth;
    this.budget = budget;
    this.livePeak = livePeak;
    this.numbers = numbers;
    this.neverSteals = options.steal() == StealPolicy.NEVER;
    DeviceProperties properties = device == null ? null : device.getProperties();
    this.totalBytes = properties == null ? Long.MAX_VALUE : properties.totalMemoryBytes();
    // One that shares the host's memory reports less than it has: file caches make room.
    this.device = properties == null || properties.integrated() ? null : device;
    this.source = source.apply(this);
  }

  /**
   * A heap over virtual memory, without memory or addresses yet.
   *
   * @param firstAddresses bytes of addresses that it reserves when it first grows
   */
  public static Heap overVirtualMemory(
      Device device,
      CachingAllocatorOptions options,
      ReservedMemory books,
      MoveBudget budget,
      LongSupplier livePeak,
      Block.Table numbers,
      long firstAddresses) {
    return new Heap(
        device,
        options,
        books,
        budget,
        livePeak,
        numbers,
        heap -> new VirtualMemorySource(heap, device, options, firstAddresses));
  }

  /**
   * A heap over segments of plain memory, without any yet.
   *
   * @param device that the memory counts for; null for a user's source, which tells nothing
   */
  public static Heap overSegments(
      DeviceMemory memory,
      @Nullable Device device,
      CachingAllocatorOptions options,
      ReservedMemory books,
      MoveBudget budget,
      LongSupplier livePeak,
      Block.Table numbers) {
    return new Heap(
        device,
        options,
        books,
        budget,
        livePeak,
        numbers,
        heap -> new PlainMemorySource(heap, memory));
  }

  /** Returns whether its regions grow: they are address ranges of virtual memory. */
  public boolean isVirtual() {
    return source instanceof VirtualMemorySource;
  }

  /** Returns whether threads wait for the blocks, at this moment. */
  public boolean isContended() {
    return lock.hasQueuedThreads();
  }

  // ---- taking ----

  /** Takes the best fit among memory that is there; null if nothing fits. */
  public @Nullable Block take(StreamState owner, long size, long alignment) {
    lock.lock();
    try {
      return fit(owner, size, alignment, false);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes the best fit. Locked.
   *
   * @param wasteful whether a much larger block may serve too
   */
  @Nullable Block fit(StreamState owner, long size, long alignment, boolean wasteful) {
    Block best = bestFit(owner, size, alignment, SizeRules.isSmall(size), wasteful);
    return best == null ? null : take(best, owner, size, alignment);
  }

  /** Takes a block from among those of the other kind, where memory is scarce. Locked. */
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
      // Nothing is gained by sparing what cannot go back before its stream has passed it.
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
   * Takes a part of a span of free blocks; the rest stays as free as it was. Locked.
   *
   * @param first the first block of the span, or one before the part
   */
  Block carve(Block first, long address, long size, StreamState owner) {
    Block taken = carve(first, address, size);
    taken.giveTo(owner);
    noteNeed();
    return taken;
  }

  /** The same for memory that is to move. */
  Block carve(Block first, long address, long size) {
    requireUnbroken();
    try {
      return carveWhole(first, address, size);
    } catch (Error e) {
      brokenBy = e;
      throw e;
    }
  }

  private Block carveWhole(Block first, long address, long size) {
    long end = address + size;
    Block taken = first;
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
    taken.place = Block.Place.TAKEN;
    numbers.give(taken);
    return taken;
  }

  private void cutAt(Block piece, long end) {
    if (piece.end() > end) {
      insert(split(piece, end - piece.address));
    }
  }

  // ---- giving back ----

  /** Takes back blocks that no cache keeps, linked by {@code nextCached}. */
  public void free(@Nullable Block first) {
    if (first == null || isBroken()) {
      return;
    }
    List<StreamState> ended = List.of();
    lock.lock();
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

  /** Frees a taken block in the order of its stream. Locked. */
  private void putBack(Block block) {
    block.requested = 0;
    block.account = null;
    if (block.away) {
      block.place = Block.Place.AWAY;
      return;
    }
    boolean passed = block.epoch <= block.owner().progress.settled();
    insertMerged(block, passed ? Block.Place.SETTLED : Block.Place.UNSETTLED);
  }

  /** Enters a block that is in no index, merged with its neighbours. Locked. */
  void insertMerged(Block block, Block.Place place) {
    requireUnbroken();
    try {
      insertWhole(block, place);
    } catch (Error e) {
      brokenBy = e;
      throw e;
    }
  }

  private void insertWhole(Block block, Block.Place place) {
    block.place = place;
    Block merged = block;
    Block before = merged.previous;
    while (before != null && (merges(before, merged) || absorbs(merged, before))) {
      remove(before);
      merged = join(like(merged, before), merged);
      before = merged.previous;
    }
    Block after = merged.next;
    while (after != null && (merges(merged, after) || absorbs(merged, after))) {
      remove(after);
      merged = join(merged, like(merged, after));
      after = merged.next;
    }
    insert(merged);
  }

  private static boolean merges(Block left, Block right) {
    return left.place == right.place
        && switch (left.place) {
          case SETTLED, HOLE -> true;
          case UNSETTLED -> left.heap == right.heap;
          case TAKEN, STUCK, AWAY -> false;
        };
  }

  /** Returns whether a block absorbs a settled neighbour: its stream was idle and may be asked. */
  private static boolean absorbs(Block free, Block neighbour) {
    return free.place == Block.Place.UNSETTLED
        && neighbour.place == Block.Place.SETTLED
        && free.owner().progress.isCaughtUp();
  }

  /** Makes a neighbour as free as a block: where it was settled, it waits for the stream too. */
  private static Block like(Block block, Block neighbour) {
    if (neighbour.place != block.place) {
      neighbour.place = block.place;
      neighbour.heap = block.heap;
      // An epoch of another stream says nothing of this one.
      neighbour.epoch = block.epoch;
    }
    return neighbour;
  }

  // ---- links and indexes, locked ----

  private Block join(Block left, Block right) {
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

  /** Cuts a block in two; the upper one, which is returned, is as free as the lower one. */
  Block split(Block block, long lowerSize) {
    Block upper = block.region.newPiece();
    upper.address = block.address + lowerSize;
    upper.size = block.size - lowerSize;
    upper.place = block.place;
    upper.heap = block.heap;
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

  /** Cuts a taken block in two; the upper one, which is returned, is a taken block too. */
  Block splitTaken(Block block, long lowerSize) {
    Block upper = split(block, lowerSize);
    numbers.give(upper);
    return upper;
  }

  void insert(Block block) {
    boolean small = block.region.small;
    block.wholeBytes = block.region.wholeBytes(block.address, block.end());
    switch (block.place) {
      case SETTLED -> {
        settled(small).add(block);
        releasableBytes += block.wholeBytes;
      }
      case UNSETTLED -> {
        StreamState owner = block.owner();
        owner.unsettled(small).add(block);
        owner.noteUnsettled(block.epoch);
        unsettled.entered(owner, block.wholeBytes);
      }
      case HOLE -> holes(small).add(block);
      case TAKEN, STUCK, AWAY -> throw new IllegalStateException("a taken block is in no index");
    }
  }

  void remove(Block block) {
    boolean small = block.region.small;
    switch (block.place) {
      case SETTLED -> {
        settled(small).remove(block);
        releasableBytes -= block.wholeBytes;
      }
      case UNSETTLED -> {
        StreamState owner = block.owner();
        owner.unsettled(small).remove(block);
        unsettled.left(owner, block.wholeBytes);
      }
      case HOLE -> holes(small).remove(block);
      case TAKEN, STUCK, AWAY -> throw new IllegalStateException("a taken block is in no index");
    }
  }

  FreeIndex settled(boolean small) {
    return small ? settledSmall : settledLarge;
  }

  FreeIndex holes(boolean small) {
    return small ? holesSmall : holesLarge;
  }

  /** Forgets the only block of a region whose memory goes back. Locked. */
  void end(Block block) {
    numbers.takeBack(block);
  }

  // ---- how far streams have come ----

  /** Returns whether a stream takes new memory apart from others. Called under the lock. */
  boolean isApart(StreamState owner) {
    return unsettled.hasOther(owner) && (neverSteals || owner.progress.isFarBehind());
  }

  /** Asks the driver how far streams have come, and settles what they have passed. */
  public boolean settle(Collection<? extends StreamState> streams) {
    return !streams.isEmpty()
        && ask(chosen(streams, StreamState::hasUnsettled), StreamProgress::advance);
  }

  /**
   * Asks streams that have unsettled blocks, {@link #MOST_ASKED} at most, and first those that were
   * not asked for longest. Settles what they have passed.
   */
  public boolean settleSome(Collection<? extends StreamState> streams) {
    boolean few = streams.size() <= MOST_ASKED || countUnsettled() <= MOST_ASKED;
    return few ? settle(streams) : ask(oldest(MOST_ASKED), StreamProgress::advance);
  }

  /**
   * Returns the streams to poll now: those that have unsettled blocks, {@link #MOST_ASKED} at most,
   * and first those that were not asked for longest.
   *
   * @param alone the only stream that counts; null for all
   */
  public List<StreamState> lagging(@Nullable StreamState alone) {
    if (alone != null) {
      return hasUnsettled(alone) ? List.of(alone) : List.of();
    }
    return oldest(MOST_ASKED);
  }

  /** Asks the events that streams were marked with earlier, where there are any. */
  public boolean settleMarks(List<StreamState> asked) {
    boolean all = asked.size() < MOST_ASKED;
    return ask(asked, all ? StreamProgress::askAgain : StreamProgress::askAgainOrAdvance);
  }

  private boolean ask(List<StreamState> asked, Consumer<StreamProgress> question) {
    try {
      for (StreamState each : asked) {
        question.accept(each.progress);
      }
    } catch (RuntimeException | Error e) {
      // One stream that cannot be asked must not keep what the others have passed.
      Batch.after(e, () -> settlePassed(asked));
      throw e;
    }
    return !asked.isEmpty() && settlePassed(asked);
  }

  private List<StreamState> chosen(
      Collection<? extends StreamState> streams, Predicate<StreamState> which) {
    List<StreamState> chosen = new ArrayList<>(Math.min(streams.size(), MOST_ASKED));
    lock.lock();
    try {
      for (StreamState each : streams) {
        if (which.test(each)) {
          chosen.add(each);
        }
      }
    } finally {
      lock.unlock();
    }
    return chosen;
  }

  private List<StreamState> oldest(int most) {
    lock.lock();
    try {
      return unsettled.next(most);
    } finally {
      lock.unlock();
    }
  }

  /** Settles what these streams are known to have passed. */
  private boolean settlePassed(List<StreamState> streams) {
    boolean any = false;
    lock.lock();
    try {
      for (StreamState each : streams) {
        unsettled.noteAsked(each);
        // A look at every block, which a poll of a stream that has not moved on must not take.
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
      // A block that merged into an earlier one of this loop is free no more.
      if (block.place == Block.Place.UNSETTLED && block.epoch <= passed) {
        remove(block);
        insertMerged(block, Block.Place.SETTLED);
        any = true;
      }
    }
    return any;
  }

  public int countUnsettled() {
    return Math.toIntExact(locked(unsettled::count));
  }

  public boolean hasUnsettled(StreamState stream) {
    lock.lock();
    try {
      return stream.hasUnsettled();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether a stream has to pass something, and may be asked and waited for now. */
  public boolean isAwaitable(StreamState stream) {
    return hasUnsettled(stream) && !stream.progress.isUnasked();
  }

  /** Settles what a stream had that was waited for. */
  public void settleAwaited(StreamState stream) {
    books.synchronizations.increment();
    settlePassed(List.of(stream));
  }

  public long unsettledBytes(StreamState stream) {
    return locked(() -> stream.unsettledSmall.bytes() + stream.unsettledLarge.bytes());
  }

  /**
   * Takes a block that another stream may still use, and makes the new stream wait for it.
   *
   * @return null if no other stream has one that is large enough, or that one's stream is closed
   */
  public @Nullable Block steal(
      StreamState thief,
      long size,
      long alignment,
      Collection<? extends StreamState> streams,
      EventPool events) {
    if (streams.stream().anyMatch(each -> each.progress.isUnasked())) {
      // An event between work that is captured and work that is not would spoil the capture.
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
    books.steals.increment();
    return block;
  }

  private @Nullable Block bestToSteal(
      StreamState thief, long size, long alignment, Collection<? extends StreamState> streams) {
    Block best = null;
    boolean small = SizeRules.isSmall(size);
    for (StreamState each : streams) {
      Block fit = each == thief ? null : bestToSteal(each, size, alignment, small);
      if (fit != null && (best == null || fit.size < best.size)) {
        best = fit;
      }
    }
    return best;
  }

  /** Over virtual memory from blocks of either kind: the stream waits for it, and not the host. */
  private @Nullable Block bestToSteal(
      StreamState victim, long size, long alignment, boolean small) {
    Block fit = bestFit(victim.unsettled(small), size, alignment, true);
    return fit == null && isVirtual()
        ? bestFit(victim.unsettled(!small), size, alignment, true)
        : fit;
  }

  // ---- growing and giving back to the driver ----

  /**
   * Moves memory or takes it from the driver so that a block has room.
   *
   * @return null if the limits allow no more
   * @throws DeviceOutOfMemoryException if the driver refused
   */
  public @Nullable Block grow(StreamState owner, long size, long alignment) {
    growth.lock();
    try {
      return source.grow(owner, size, alignment);
    } finally {
      growth.unlock();
    }
  }

  /** Gives settled memory back until at most {@code keepBytes} are reserved by all pools. */
  public long release(long keepBytes) {
    growth.lock();
    try {
      return source.release(Math.max(0, books.reserved() - keepBytes), true);
    } finally {
      growth.unlock();
    }
  }

  /**
   * Gives settled memory of this heap back until it has reserved {@code keepBytes}, and never less;
   * counts it as decayed, also where the driver fails halfway.
   *
   * @return bytes given back
   */
  public long decayTo(long keepBytes) {
    growth.lock();
    long before = reserved;
    try {
      return source.release(Math.max(0, before - keepBytes), false);
    } finally {
      books.decayedBytes.add(before - reserved);
      growth.unlock();
    }
  }

  /** Gives all memory back; nothing may be taken. */
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

  /** Bytes that may be reserved, by the limit and the device. */
  long mostReserved() {
    return Math.min(books.limit(), totalBytes);
  }

  /** Counts a chunk that the driver gave. */
  void taken(Chunk chunk) {
    long before = reserved;
    reserved = before + chunk.size;
    books.taken(chunk.size, 1);
  }

  /** Counts a chunk that the driver has back. */
  void givenBack(Chunk chunk, long address) {
    long before = reserved;
    reserved = before - chunk.size;
    books.given(chunk.size, 1);
    books.observer.givenBack(address, chunk.size);
  }

  /** Bytes of all chunks of this heap. */
  long reservedBytes() {
    return reserved;
  }

  /** Returns whether the device and the limits are large enough; asks no driver. */
  public boolean mayEverHave(long size) {
    return size <= totalBytes && size <= Math.min(books.limit(), books.ownLimit());
  }

  /** Bytes that the device has free; {@link Long#MAX_VALUE} where the driver does not tell. */
  public long freeBytes() {
    if (device == null) {
      return Long.MAX_VALUE;
    }
    try {
      return device.getMemoryInfo().freeBytes();
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException untold) {
      // The next driver call shows the failure as well.
      return Long.MAX_VALUE;
    }
  }

  /** Bytes that a growth for a request would take from the driver now, at least. */
  public long bytesToTake(long size) {
    return source.bytesToTake(size);
  }

  /** Bytes of chunks that lie wholly in settled blocks. */
  long releasableBytes() {
    return locked(() -> releasableBytes);
  }

  /** The most bytes that were needed at once since this was last asked. */
  public long takeNeed() {
    lock.lock();
    try {
      noteNeed();
      long most = needed;
      needed = neededBytes();
      return most;
    } finally {
      lock.unlock();
    }
  }

  /** Notes what is needed now, see {@link #takeNeed}. Locked. */
  void noteNeed() {
    needed = Math.max(needed, neededBytes());
  }

  /** Memory that an idle stream has freed is not needed, though the stream was not asked since. */
  private long neededBytes() {
    return reserved - releasableBytes - unsettled.idleBytes();
  }

  // ---- errors of the JVM ----

  /** Returns whether an error of the JVM came in the middle of a change. */
  public boolean isBroken() {
    return brokenBy != null;
  }

  private void requireUnbroken() {
    Error error = brokenBy;
    if (error != null) {
      throw new IllegalStateException(
          "the allocator is broken: a JVM error interrupted a change of its state; close it and"
              + " create a new one",
          error);
    }
  }

  /** Gives back the memory of a broken heap, whatever is still in use. */
  public void abandon() {
    growth.lock();
    try {
      source.abandon();
    } finally {
      growth.unlock();
    }
  }

  // ---- looking at blocks ----

  private long locked(LongSupplier figure) {
    lock.lock();
    try {
      return figure.getAsLong();
    } finally {
      lock.unlock();
    }
  }

  /** Every region; locked. */
  public List<Region> regions() {
    return source.regions();
  }

  /** Bytes reserved that lie beneath no block. */
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

  /** The block that holds a byte, or null. */
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
    return locked(() -> settledSmall.bytes() + settledLarge.bytes());
  }

  /** How many free blocks there are, of these streams and settled ones. */
  public long countFree(Collection<? extends StreamState> streams) {
    lock.lock();
    try {
      long count = (long) settledSmall.count() + settledLarge.count();
      for (StreamState each : streams) {
        count += each.unsettledSmall.count() + each.unsettledLarge.count();
      }
      return count;
    } finally {
      lock.unlock();
    }
  }
}
