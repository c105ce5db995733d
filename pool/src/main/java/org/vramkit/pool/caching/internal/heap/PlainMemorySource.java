package org.vramkit.pool.caching.internal.heap;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.heap.Region.Chunk;
import org.vramkit.pool.caching.internal.option.SizeRules;

/**
 * Provides plain memory: segments of the sizes of requirement S4.1, which are split by the rules of
 * S4.4. Each segment is a region with one chunk, which cannot move.
 *
 * <p>If a new segment would raise the peak of the reserved bytes, as few whole free segments as
 * possible return to the driver first, while the {@link MoveBudget} allows, or regardless of it if
 * the limit, the device or {@link MemoryLimit#growthBound} allows no more. Whole segments are
 * therefore split last.
 *
 * <p>A small block in a large range keeps it from serving a large block and from returning to the
 * driver. A fit is wasteful if the range exceeds the block by a factor, and by more than a driver
 * call is worth. A search prefers a part of a used segment that is not wasteful. Otherwise it takes
 * the smallest fit, unless that is a whole segment and wasteful; the allocation then takes new
 * memory, and the wasteful segment only if there is none. The factors are the best on the mean of
 * variations of recorded programs.
 */
final class PlainMemorySource implements MemorySource {
  /** How many whole free segments a search skips before it gives up. */
  private static final int WHOLE_SEGMENTS_PASSED = 64;

  /** The factor by which a wasteful part of a used segment exceeds the block. */
  private static final double PART_FACTOR = 1.5;

  /**
   * The factor by which a wasteful whole segment exceeds the block. A smaller factor makes segments
   * come and go all the time.
   */
  private static final double WHOLE_FACTOR = 2.5;

  /** Waste of less than 1/{@value} of the reserved bytes is not worth a driver call. */
  private static final int WORTH = 128;

  private final Heap heap;
  private final DeviceMemory memory;
  private final MemoryLimit limit;
  private final PoolObserver observer;
  private final TreeMap<Long, Region> segments = new TreeMap<>();

  /** All bits of the addresses of segments so far; the lowest tells how they are aligned. */
  private volatile long addressBits;

  PlainMemorySource(Heap heap, DeviceMemory memory) {
    this.heap = heap;
    this.memory = memory;
    this.limit = heap.limit;
    this.observer = heap.observer;
  }

  // ---- which part of a free block an allocation takes ----

  /**
   * Returns the best fit among parts of segments, and whole segments of exactly this size; null if
   * there is none.
   */
  @Override
  public @Nullable Block bestFit(FreeIndex index, long size, boolean wasteful) {
    if (wasteful) {
      return index.bestFit(size);
    }
    Iterator<Block> fits = index.fits(size);
    for (int i = 0; i < WHOLE_SEGMENTS_PASSED && fits.hasNext(); i++) {
      Block block = fits.next();
      if (isWasteful(block, size, PART_FACTOR)) {
        return null;
      }
      if (!isWhole(block) || block.size == size) {
        return block;
      }
    }
    return null;
  }

  @Override
  public @Nullable Block wholeFit(FreeIndex index, long size, boolean wasteful) {
    Block block = index.bestFit(size);
    boolean refused =
        block != null && isWhole(block) && !wasteful && isWasteful(block, size, WHOLE_FACTOR);
    return refused ? null : block;
  }

  private boolean isWasteful(Block free, long size, double factor) {
    return free.size > factor * size
        && free.size - size > Math.max(SizeRules.LARGE_SEGMENT, heap.reservedBytes() / WORTH);
  }

  private static boolean isWhole(Block block) {
    return block.size == block.region.size;
  }

  @Override
  public long addressIn(Block free, long size) {
    boolean above = !free.region.small && size < SizeRules.LARGE_SEGMENT && splits(free, size);
    return above ? free.end() - size : free.address;
  }

  @Override
  public long takenOf(Block free, long size) {
    return splits(free, size) ? size : free.size;
  }

  private static boolean splits(Block free, long size) {
    return SizeRules.splits(free.region.small, free.size - size);
  }

  // ---- growth ----

  @Override
  public @Nullable Block grow(StreamState owner, long size, long alignment) {
    Block block = find(owner, size, alignment, false);
    DeviceOutOfMemoryException refusal = null;
    // A second time with more room if the first segment is the first that is not aligned.
    for (long room = 0; block == null && room < roomFor(size, alignment); ) {
      room = roomFor(size, alignment);
      // A usual segment, and one for this block alone.
      PrimitiveIterator.OfLong lengths =
          LongStream.of(SizeRules.segmentFor(room), ByteSize.roundUp(room, SizeRules.HUGE_ROUNDING))
              .distinct()
              .iterator();
      while (block == null && lengths.hasNext()) {
        try {
          block = growBy(owner, size, alignment, lengths.nextLong());
        } catch (DeviceOutOfMemoryException e) {
          refusal = e;
        }
      }
    }
    if (block == null) {
      block = find(owner, size, alignment, true);
    }
    if (block == null && refusal != null) {
      throw refusal;
    }
    return block;
  }

  private @Nullable Block find(StreamState owner, long size, long alignment, boolean wasteful) {
    heap.lock.lock();
    try {
      return heap.fit(owner, size, alignment, wasteful);
    } finally {
      heap.lock.unlock();
    }
  }

  private @Nullable Block growBy(StreamState owner, long size, long alignment, long bytes) {
    long releasable = heap.releasableBytes();
    if (bytes - releasable > limit.bytes() - limit.reserved()) {
      return null;
    }
    // If the device would lack memory even with every free segment returned, none is returned.
    boolean hopeless =
        releasable > 0 && bytes > releasable && bytes - releasable > heap.freeBytes();
    if (!hopeless) {
      releaseBefore(bytes);
    }
    if (!limit.allows(bytes)) {
      return null;
    }
    PoolObserver.Span span = observer.begin(PoolObserver.Work.GROW, owner.stream);
    long begin = heap.budget.now();
    long taken = 0;
    try {
      long address = hopeless ? memory.allocate(bytes) : allocate(bytes);
      Chunk chunk = new Chunk(bytes, 0);
      taken = bytes;
      heap.taken(chunk);
      heap.budget.grew(begin, 0, 1);
      observer.mapped(address, bytes, false);
      return begin(address, chunk, owner, size, alignment);
    } finally {
      span.end(taken, 0);
    }
  }

  private @Nullable Block begin(
      long address, Chunk chunk, StreamState owner, long size, long alignment) {
    Region segment = new Region(address, chunk, SizeRules.isSmall(size));
    heap.lock.lock();
    try {
      segments.put(address, segment);
      addressBits |= address;
      heap.insertMerged(segment.first, Block.Place.SETTLED);
      boolean fits = Heap.alignUp(address, Math.max(1, alignment)) + size <= segment.end();
      return fits ? heap.take(segment.first, owner, size, alignment) : null;
    } finally {
      heap.lock.unlock();
    }
  }

  /** Allocates a segment. If the device is full, returns every free segment and tries again. */
  private long allocate(long bytes) {
    try {
      return memory.allocate(bytes);
    } catch (DeviceOutOfMemoryException e) {
      if (releaseDownTo(0, true) == 0) {
        throw e;
      }
      return memory.allocate(bytes);
    }
  }

  /**
   * Returns free segments to stay below the limit and the bound, and below the peak while time is
   * left.
   */
  private void releaseBefore(long bytes) {
    long bound = Math.min(limit.bytes(), limit.growthBound());
    releaseDownTo(bound - bytes, true);
    long belowPeak = limit.reservedPeak() - bytes;
    if (limit.reserved() > belowPeak && heap.budget.isLeft()) {
      long begin = heap.budget.now();
      releaseDownTo(belowPeak, true);
      heap.budget.gaveBack(begin);
    }
  }

  // ---- giving back ----

  private long releaseDownTo(long keepBytes, boolean beyond) {
    long excess = limit.reserved() - Math.max(0, keepBytes);
    return excess > 0 ? release(excess, beyond) : 0;
  }

  @Override
  public long release(long wantedBytes, boolean beyond) {
    long given = 0;
    while (given < wantedBytes) {
      Region segment = takeReleasable(wantedBytes - given, beyond);
      if (segment == null) {
        break;
      }
      giveBack(segment);
      given += segment.size;
    }
    return given;
  }

  /**
   * Takes a whole free segment out of its index: the smallest that is large enough, else the
   * largest.
   *
   * @param beyond whether the segment may be larger than {@code wantedBytes}
   * @return null if there is none
   */
  private @Nullable Region takeReleasable(long wantedBytes, boolean beyond) {
    heap.lock.lock();
    try {
      Region best = null;
      for (FreeIndex index : List.of(heap.settled(true), heap.settled(false))) {
        FreeIndex.Walk walk = index.fits(0);
        while (walk.hasNext()) {
          Block block = walk.next();
          if (isWhole(block)
              && (beyond || block.size <= wantedBytes)
              && (best == null || isBetter(block.size, best.size, wantedBytes))) {
            best = block.region;
          }
        }
      }
      if (best != null) {
        heap.remove(best.first);
        best.first.place = Block.Place.TAKEN;
      }
      return best;
    } finally {
      heap.lock.unlock();
    }
  }

  private static boolean isBetter(long size, long than, long wanted) {
    return than >= wanted ? size >= wanted && size < than : size > than;
  }

  private void giveBack(Region segment) {
    PoolObserver.Span span = observer.begin(PoolObserver.Work.TRIM, null);
    boolean given = false;
    try {
      memory.free(segment.address);
      given = true;
      heap.givenBack(chunkOf(segment), segment.address);
    } finally {
      end(segment, given);
      span.end(given ? segment.size : 0, 0);
    }
  }

  private static Chunk chunkOf(Region segment) {
    return requireNonNull(segment.chunkAt(segment.address));
  }

  private void end(Region segment, boolean given) {
    heap.lock.lock();
    try {
      if (given) {
        segments.remove(segment.address);
        heap.end(segment.first);
      } else {
        heap.insertMerged(segment.first, Block.Place.SETTLED);
      }
    } finally {
      heap.lock.unlock();
    }
  }

  // ---- figures ----

  @Override
  public long bytesToTake(long size) {
    long bytes =
        Math.min(SizeRules.segmentFor(size), ByteSize.roundUp(size, SizeRules.HUGE_ROUNDING));
    return Math.max(0, bytes - heap.releasableBytes());
  }

  @Override
  public long bytesFor(long size, long alignment) {
    return ByteSize.roundUp(roomFor(size, alignment), SizeRules.HUGE_ROUNDING);
  }

  /** Returns the bytes in which a block fits, wherever a segment begins. */
  private long roomFor(long size, long alignment) {
    return (addressBits & (alignment - 1)) == 0 ? size : size + alignment;
  }

  @Override
  public long unplacedBytes() {
    return 0;
  }

  @Override
  public List<Region> regions() {
    return new ArrayList<>(segments.values());
  }

  @Override
  public void close() {
    // Every segment went back.
  }

  @Override
  public void abandon() {
    Batch.forEach(
        regions(),
        each -> {
          memory.free(each.address);
          segments.remove(each.address);
          heap.givenBack(chunkOf(each), each.address);
        });
  }
}
