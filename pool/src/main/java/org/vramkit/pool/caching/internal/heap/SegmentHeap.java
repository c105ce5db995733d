package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.page.RangeVisitor;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;
import org.vramkit.pool.support.StackRoom;

/**
 * The heap over plain allocation, for devices without virtual memory: segments of fixed sizes
 * (requirements S4.1), split by the rules of S4.4.
 *
 * <h2>Whole segments go back</h2>
 *
 * Before a new segment would raise the peak of what is reserved, whole free segments go back to the
 * driver, as few as are needed, while {@link MoveTime} is left for that; after that only where the
 * limit or the device demands it. So they are split last: best fit (S4.3) is first sought in
 * segments that others use already.
 *
 * <h2>What is not split</h2>
 *
 * Nothing here can be moved, so a block that was cut out of a range much larger than itself keeps
 * that range from the next large block, and from the driver. A fit is refused as wasteful where the
 * range is larger by a factor, and by more than is worth a driver call; memory is taken instead, or
 * the range after all if there is none. Which of its ends a block takes depends on its size, so
 * that what is left of a segment stays in one piece.
 *
 * <p>The factors are best on average over forty variations of recorded programs.
 */
public final class SegmentHeap extends Heap {
  /**
   * Where time does not count: once as many bytes went back to keep the peak down as this many
   * times the peak, the next segment may raise it. A set of sizes that is used in turn and does not
   * fit costs the driver calls of a few rounds, not of every round.
   */
  private static final int CHURN = 4;

  /** How many whole free segments a search passes by before it takes one. */
  private static final int WHOLE_SEGMENTS_PASSED = 64;

  /** A free range of a used segment may be larger than the block by this factor. */
  private static final double PART_FACTOR = 1.5;

  /** And one that is a whole segment by this one: with less, segments come and go all the time. */
  private static final double WHOLE_FACTOR = 2.5;

  /** One part in so many of what is reserved is not worth a driver call. */
  private static final int WORTH = 128;

  /** Ranges of a stream that are looked around for what fits together with its neighbours. */
  private static final int LOOKED_AROUND = 32;

  private final TreeMap<Long, Segment> segments = new TreeMap<>();
  private final DeviceMemory memory;
  private final CachingAllocatorOptions options;

  // Guarded by the lock.
  private final FreeIndex settledSmall = new FreeIndex();
  private final FreeIndex settledLarge = new FreeIndex();

  /** Bytes of all segments, and of those that are one settled block. Guarded by the lock. */
  private long segmentBytes;

  private long releasableBytes;

  private final FitQuestions questions;

  /** Bytes given back to keep the peak down since it last rose. Guarded by the growth lock. */
  private long churned;

  /**
   * No segments.
   *
   * @param memory where they come from
   * @param device whose they are; null for memory that nobody tells anything about
   */
  public SegmentHeap(
      DeviceMemory memory,
      @Nullable Device device,
      CachingAllocatorOptions options,
      Slack slack,
      ReservedMemory books,
      Block.Table numbers) {
    super(books, device, numbers, new Patience(options.growthPatience()), slack);
    this.memory = memory;
    this.options = options;
    this.questions = new FitQuestions(moveTime);
  }

  @Override
  boolean isSmall(long size) {
    return SizeRules.isSmall(size);
  }

  @Override
  public boolean maySplit(long size) {
    return options.splitting() && size < options.maxSplitBytes();
  }

  @Override
  @Nullable Block find(StreamState owner, long size) {
    return find(owner, size, false);
  }

  /** Like {@link #find(StreamState, long)}; perhaps with what is wasteful among the fits. */
  private @Nullable Block find(StreamState owner, long size, boolean wasteful) {
    boolean small = isSmall(size);
    Block own = fitBesideOthers(owner.unsettled(small), size, wasteful);
    Block shared = fitBesideOthers(settled(small), size, wasteful);
    if (own == null && shared == null) {
      own = fitInWhole(owner.unsettled(small), size, wasteful);
      shared = fitInWhole(settled(small), size, wasteful);
    }
    Block best = shared != null && (own == null || shared.size <= own.size) ? shared : own;
    return best != null && mayTake(best, size) ? takeFrom(best, size) : null;
  }

  private @Nullable Block fitInWhole(FreeIndex index, long size, boolean wasteful) {
    Block block = index.bestFit(size);
    boolean refused =
        block != null && isWhole(block) && !wasteful && isWasteful(block, size, WHOLE_FACTOR);
    return refused ? null : block;
  }

  /**
   * The best fit that is not a whole segment, unless one fits exactly: a whole one can still go
   * back to the driver, the rest of a used one cannot.
   */
  private @Nullable Block fitBesideOthers(FreeIndex index, long size, boolean wasteful) {
    Iterator<Block> fits = index.fits(size);
    for (int i = 0; i < WHOLE_SEGMENTS_PASSED && fits.hasNext(); i++) {
      Block block = fits.next();
      if (!wasteful && isWasteful(block, size, PART_FACTOR)) {
        return null;
      }
      if (!isWhole(block) || block.size == size) {
        return block;
      }
    }
    return null;
  }

  private boolean isWasteful(Block free, long size, double factor) {
    return free.size > factor * size
        && free.size - size > Math.max(SizeRules.LARGE_SEGMENT, segmentBytes / WORTH);
  }

  private static boolean isWhole(Block block) {
    return block.size == block.segment.size;
  }

  @Override
  @Nullable Block findRun(StreamState owner, long size) {
    if (!options.splitting() || options.maxSplitBytes() != Long.MAX_VALUE) {
      return null;
    }
    FreeSpan best = null;
    int search = nextSearch();
    FreeIndex own = owner.unsettled(isSmall(size));
    for (Iterator<Block> free : List.of(own.fits(size), own.below(size))) {
      for (int i = 0; i < LOOKED_AROUND && free.hasNext(); i++) {
        FreeSpan run = FreeSpan.unseen(free.next(), owner, search);
        if (run != null && run.size() >= size && (best == null || run.size() < best.size())) {
          best = run;
        }
      }
    }
    if (best == null) {
      return null;
    }
    boolean splits = SizeRules.splits(best.first().segment.small, best.size() - size);
    return carveRun(best, best.first().address, splits ? size : best.size());
  }

  @Override
  boolean mayTake(Block free, long size) {
    long maxSplit = options.maxSplitBytes();
    if (!options.splitting()) {
      return free.size == segmentFor(size);
    }
    if (free.size < maxSplit || maxSplit == Long.MAX_VALUE) {
      return true;
    }
    // A block that must not be split serves only requests that use nearly all of it.
    return size >= maxSplit && free.size - size < SizeRules.LARGE_SEGMENT;
  }

  @Override
  Block takeFrom(Block free, long size) {
    boolean splits =
        options.splitting()
            && (free.segment.small || size < options.maxSplitBytes())
            && SizeRules.splits(free.segment.small, free.size - size);
    if (!splits) {
      return carve(free, free.address, free.size);
    }
    boolean above = !free.segment.small && size < SizeRules.LARGE_SEGMENT;
    return carve(free, above ? free.end() - size : free.address, size);
  }

  /**
   * Segments cannot be moved, so splitting a large block where one that fits is about to be settled
   * costs memory for good; asking costs a microsecond or two for each stream.
   */
  @Override
  public Collection<? extends StreamState> askedFirst(
      StreamState owner, long size, Collection<? extends StreamState> all) {
    if (isSmall(size) || !moveTime.isLeftToAsk()) {
      return List.of();
    }
    lock.lock();
    try {
      long best = Math.min(owner.unsettledLarge.bestSize(size), settledLarge.bestSize(size));
      if (best == size || !unsettled.hasOther(owner)) {
        return List.of();
      }
      return moveTime.isUnlimited()
          ? List.copyOf(all)
          : questions.bestToAsk(owner, size, best, all);
    } finally {
      lock.unlock();
    }
  }

  /** Where asking has its price. */
  @Override
  boolean mayAbsorb(Block range) {
    return !moveTime.isUnlimited();
  }

  @Override
  public int shortage(StreamState owner, long size) {
    // Plain allocation costs about as much as two pages of virtual memory, and more when it is
    // large.
    return 2 + (int) Math.min(64, size / SizeRules.LARGE_SEGMENT);
  }

  @Override
  public long bytesToTake(StreamState owner, long size) {
    long bytes = Math.min(segmentFor(size), ByteSize.roundUp(size, SizeRules.HUGE_ROUNDING));
    return Math.max(0, bytes - releasable());
  }

  @Override
  public Growth grow(StreamState owner, long size) {
    Growth grown = new Growth();
    growth.lock();
    try {
      grown.got(take(owner, size));
      if (grown.block() == null) {
        growBy(owner, size, segmentFor(size), grown);
      }
      long exact = ByteSize.roundUp(size, SizeRules.HUGE_ROUNDING);
      // Where a whole segment has no room, one just for this block may have.
      if (grown.block() == null && exact < segmentFor(size)) {
        growBy(owner, size, exact, grown);
      }
      if (grown.block() == null) {
        grown.got(takeAny(owner, size));
      }
      return grown;
    } finally {
      growth.unlock();
    }
  }

  /** Takes a part of a much larger range after all, where nothing else is to be had. */
  private @Nullable Block takeAny(StreamState owner, long size) {
    lock.lock();
    try {
      return owned(find(owner, size, true), owner);
    } finally {
      lock.unlock();
    }
  }

  private void growBy(StreamState owner, long size, long bytes, Growth grown) {
    long releasable = releasable();
    if (bytes > books.limit() - books.reserved() + releasable) {
      return;
    }
    // What cannot be had though every free segment went back costs none of them.
    boolean hopeless = releasable > 0 && bytes > releasable && bytes - releasable > freeBytes();
    if (!hopeless) {
      collectGarbage();
      releaseBefore(bytes);
    }
    if (!books.allows(bytes)) {
      return;
    }
    long address;
    long begin = moveTime.now();
    PoolObserver.Span span = books.observer.begin(PoolObserver.Work.GROW, owner.stream);
    long taken = 0;
    try {
      address = hopeless ? memory.allocate(bytes) : allocate(bytes);
      taken = bytes;
    } catch (DeviceOutOfMemoryException e) {
      grown.refused(e);
      return;
    } finally {
      span.end(taken, 0);
    }
    moveTime.grew(begin, 0);
    books.taken(bytes, 1);
    books.observer.mapped(address, bytes, false);
    grown.got(begin(address, bytes, size, owner));
  }

  /** A block of a new segment; where the JVM has no memory left, the segment goes back. */
  private Block begin(long address, long bytes, long size, StreamState owner) {
    boolean added = false;
    try {
      Segment segment = new Segment(address, bytes, isSmall(size));
      lock.lock();
      try {
        add(segment);
        added = true;
        Block block = takeFrom(segment.first, size);
        block.giveTo(owner);
        return block;
      } finally {
        lock.unlock();
      }
    } catch (Error e) {
      if (!added) {
        giveUp(address, bytes);
      }
      throw e;
    }
  }

  private void giveUp(long address, long bytes) {
    memory.free(address);
    books.given(bytes, 1);
    books.observer.givenBack(address, bytes);
  }

  /** Bytes of whole segments that are free. */
  private long releasable() {
    lock.lock();
    try {
      return releasableBytes;
    } finally {
      lock.unlock();
    }
  }

  /** Makes room for a segment below the peak while time is left, or below the limit at least. */
  private void releaseBefore(long bytes) {
    releaseUntil(books.limit() - bytes);
    long peak = books.reservedPeak();
    if (moveTime.isUnlimited()) {
      releaseInRounds(peak, bytes);
    } else if (moveTime.isLeft()) {
      long begin = moveTime.now();
      try {
        releaseUntil(peak - bytes);
      } finally {
        moveTime.moved(begin);
      }
    }
  }

  private void releaseInRounds(long peak, long bytes) {
    if (churned / CHURN > peak) {
      // A segment that fits below the peak leaves this to one that does not.
      churned = books.reserved() + bytes > peak ? 0 : churned;
    } else {
      churned += releaseUntil(peak - bytes);
    }
  }

  /** The size of the segment for a block; without splitting, one that holds just this block. */
  private long segmentFor(long size) {
    return options.splitting()
        ? SizeRules.segmentFor(size)
        : ByteSize.roundUp(size, SizeRules.HUGE_ROUNDING);
  }

  /** Plain allocation; a device that is full is asked again once nothing free is held any more. */
  private long allocate(long bytes) {
    StackRoom.forMiss();
    try {
      return memory.allocate(bytes);
    } catch (DeviceOutOfMemoryException e) {
      if (releaseUntil(0) == 0) {
        throw e;
      }
      return memory.allocate(bytes);
    }
  }

  private void collectGarbage() {
    double threshold = options.garbageCollectionThreshold();
    if (threshold > 0 && books.limit() != Long.MAX_VALUE) {
      long mark = (long) (threshold * books.limit());
      if (books.reserved() > mark) {
        releaseUntil(mark);
      }
    }
  }

  @Override
  public long release(long keepBytes) {
    growth.lock();
    try {
      return releaseUntil(keepBytes);
    } finally {
      growth.unlock();
    }
  }

  /** Gives whole free segments back until at most so much is reserved, as few as that takes. */
  private long releaseUntil(long keepBytes) {
    long keep = Math.max(0, keepBytes);
    long given = 0;
    while (books.reserved() > keep) {
      long wanted = books.reserved() - keep;
      Segment segment =
          takeReleasable((one, best) -> better(one.size, best.size, wanted), one -> true);
      if (segment == null) {
        break;
      }
      given += giveBack(segment);
    }
    return given;
  }

  @Override
  long giveBack(long mostBytes) {
    long given = 0;
    while (true) {
      long rest = mostBytes - given;
      Segment segment =
          takeReleasable((one, best) -> one.size > best.size, one -> one.size <= rest);
      if (segment == null) {
        return given;
      }
      given += giveBack(segment);
    }
  }

  private long giveBack(Segment segment) {
    PoolObserver.Span span = books.observer.begin(PoolObserver.Work.TRIM, null);
    long given = 0;
    try {
      StackRoom.forMiss();
      memory.free(segment.address);
      given = segment.size;
    } catch (RuntimeException | Error e) {
      lockSurely();
      try {
        segmentBytes += segment.size;
        segment.first.place = Block.Place.SETTLED;
        insert(segment.first);
      } finally {
        lock.unlock();
      }
      throw e;
    } finally {
      span.end(given, 0);
    }
    books.given(segment.size, 1);
    books.observer.givenBack(segment.address, segment.size);
    lockSurely();
    try {
      segments.remove(segment.address);
      end(segment.first);
    } finally {
      lock.unlock();
    }
    return segment.size;
  }

  /** The best of the releasable segments that may be chosen; null if there is none. */
  private @Nullable Segment takeReleasable(
      BiPredicate<Segment, Segment> isBetter, Predicate<Segment> mayGo) {
    lock.lock();
    try {
      Segment best = null;
      for (Segment segment : segments.values()) {
        if (segment.isReleasable()
            && mayGo.test(segment)
            && (best == null || isBetter.test(segment, best))) {
          best = segment;
        }
      }
      if (best != null) {
        remove(best.first);
        best.first.place = Block.Place.TAKEN;
        segmentBytes -= best.size;
      }
      return best;
    } finally {
      lock.unlock();
    }
  }

  /** A segment that is one free block. Locked. */
  private void add(Segment segment) {
    settled(segment.small).prepare(1);
    segments.put(segment.address, segment);
    segmentBytes += segment.size;
    segment.first.place = Block.Place.SETTLED;
    insert(segment.first);
  }

  @Override
  void enterSettled(Block range) {
    settled(range.segment.small).add(range);
    releasableBytes += freeableBytes(range);
  }

  @Override
  void leaveSettled(Block range) {
    settled(range.segment.small).remove(range);
    releasableBytes -= freeableBytes(range);
  }

  @Override
  void prepareSettled(boolean small, int additions) {
    settled(small).prepare(additions);
  }

  @Override
  public List<Block> settledRanges() {
    List<Block> all = settledSmall.copy();
    all.addAll(settledLarge.copy());
    return all;
  }

  private FreeIndex settled(boolean small) {
    return small ? settledSmall : settledLarge;
  }

  @Override
  long reservedBytes() {
    return segmentBytes;
  }

  @Override
  long unreleasableBytes() {
    return segmentBytes - releasableBytes;
  }

  @Override
  long freeableBytes(Block block) {
    return isWhole(block) ? block.size : 0;
  }

  /** The smallest that alone is enough is best, else the largest. */
  private static boolean better(long size, long than, long wanted) {
    return than >= wanted ? size >= wanted && size < than : size > than;
  }

  @Override
  public List<Segment> segments() {
    return new ArrayList<>(segments.values());
  }

  @Override
  public long mappedBytes(Block free) {
    return free.size;
  }

  @Override
  public void eachMappedRange(Block free, RangeVisitor visitor) {
    visitor.visit(free.address, free.end());
  }

  @Override
  public void close() {
    release(0);
    if (!segments.isEmpty()) {
      throw new IllegalStateException("cannot close: " + segments.size() + " segments are in use");
    }
  }
}
