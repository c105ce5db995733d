package org.vramkit.pool.caching.internal.heap;

import static org.vramkit.pool.caching.internal.heap.Heap.alignUp;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.internal.heap.Region.Chunk;
import org.vramkit.pool.caching.internal.option.SizeRules;

/**
 * The chunks of a heap that can neither move nor return to the driver, at one moment: a part of
 * each belongs to a live block, or to a stream that must not be queried because of a capture. All
 * other chunks can move or return once the work that uses them is done.
 *
 * <p>One pass over the blocks adds these chunks up and collects the gaps between them, in which a
 * growth may place a block. The figures say what a request needs when all other memory has moved or
 * returned.
 */
public final class UnreleasableChunks {
  private enum Kind {
    LIVE,
    /** A live block that no caller can close. */
    LEAKED,
    /** Memory that serves requests once the work that uses it is done. */
    FREE,
    /** Addresses without memory. */
    HOLE,
    /**
     * Memory that stays unusable after a close, because it must not be waited for or its pool is
     * suspended.
     */
    STUCK
  }

  /** Free memory and at least one hole between two blocks that stay. */
  private record Gap(Region region, long from, long to) {
    /** Returns whether the gap is only a part of a chunk, so that the chunk stays. */
    boolean isPartOf(Chunk chunk) {
      return chunk.address < from || chunk.end() > to;
    }

    /** Returns the first address beyond the chunk that stays at the beginning. */
    long firstMissing() {
      Chunk chunk = region.chunkAt(from);
      return chunk != null && isPartOf(chunk) ? Math.min(to, chunk.end()) : from;
    }

    /** Returns the address of the chunk that stays at the end. */
    long endOfMissing() {
      Chunk chunk = region.chunkAt(to - 1);
      return chunk != null && isPartOf(chunk) ? Math.max(from, chunk.address) : to;
    }
  }

  private final Heap heap;
  private final PendingBlocks pending;
  private final boolean captures;
  private final long alignment;

  /** Closed blocks that wait for streams which must not be waited for. */
  private final Set<Block> heldUp;

  private final List<Gap> gaps = new ArrayList<>();

  private long bytes;
  private long closableBytes;

  /** Bytes of the chunks that stay even if every live block is closed. */
  private long keptBytes;

  private long capturedBytes;

  /** The part of {@link #keptBytes} that stays even if all captures and graphs end. */
  private long lostBytes;

  /** Bytes of live blocks whose close frees no chunk, if each chunk's smallest is closed last. */
  private long idleBytes;

  /** The longest aligned run of free memory among small and among large blocks. */
  private long longestSmall;

  private long longestLarge;

  // The state of the pass: the gap, the run of free memory and the chunk that have begun.
  private long gapBegin = -1;
  private boolean hasHole;
  private long runBegin = -1;
  private @Nullable Chunk chunk;
  private long liveOfChunk;
  private long leastOfChunk;
  private boolean isChunkKept;
  private boolean isChunkLost;

  /**
   * Looks at the heap, under its lock.
   *
   * @param pending closed blocks of the heap that other streams use
   * @param captures whether a capture may forbid queries of streams of the heap
   * @param alignment the alignment of the request
   */
  public UnreleasableChunks(Heap heap, PendingBlocks pending, boolean captures, long alignment) {
    this.heap = heap;
    this.pending = pending;
    this.captures = captures;
    this.alignment = Math.max(1, alignment);
    this.heldUp = captures ? pending.heldUp() : Set.of();
    heap.lock.lock();
    try {
      heap.regions().forEach(this::add);
    } finally {
      heap.lock.unlock();
    }
  }

  // ---- the pass ----

  private void add(Region region) {
    for (Block block = region.first; block != null; block = block.next) {
      Kind kind = kindOf(block);
      if (kind != Kind.FREE) {
        endRun(region, block.address);
      } else if (runBegin < 0) {
        runBegin = block.address;
      }
      if (kind != Kind.FREE && kind != Kind.HOLE) {
        endGap(region, block.address);
      } else if (gapBegin < 0) {
        gapBegin = block.address;
      }
      hasHole |= kind == Kind.HOLE;
      if (kind != Kind.FREE && block.isMemory()) {
        hold(region, block, kind);
      }
    }
    endRun(region, region.end());
    endGap(region, region.end());
    endChunk();
  }

  private Kind kindOf(Block block) {
    if (block.suspended) {
      return Kind.STUCK;
    }
    if (!block.isMemory()) {
      return block.place == Block.Place.HOLE ? Kind.HOLE : Kind.STUCK;
    }
    boolean isUnqueryable =
        captures
            && block.place != Block.Place.SETTLED
            && block.hasOwner()
            && (block.owner().progress.isUnqueryable()
                || heldUp.contains(block)
                || block.uses().stream().anyMatch(pending::isUnqueryable));
    if (isUnqueryable) {
      return Kind.STUCK;
    }
    boolean isLive = block.state() == Block.State.LIVE;
    return block.leaked ? Kind.LEAKED : isLive ? Kind.LIVE : Kind.FREE;
  }

  private void endRun(Region region, long end) {
    if (runBegin >= 0) {
      long length = end - alignUp(runBegin, alignment);
      longestSmall = region.small ? Math.max(longestSmall, length) : longestSmall;
      longestLarge = region.small ? longestLarge : Math.max(longestLarge, length);
      runBegin = -1;
    }
  }

  private void endGap(Region region, long end) {
    if (gapBegin >= 0 && hasHole) {
      gaps.add(new Gap(region, gapBegin, end));
    }
    gapBegin = -1;
    hasHole = false;
  }

  /** Counts the parts of a block that stays with their chunks. */
  private void hold(Region region, Block block, Kind kind) {
    boolean isLive = block.state() == Block.State.LIVE;
    closableBytes += kind == Kind.LEAKED || !isLive || block.suspended ? 0 : block.size;
    for (long at = block.address; at < block.end(); ) {
      Chunk beneath = region.chunkAt(at);
      if (beneath == null) {
        at = region.pageFrom(at + 1);
        continue;
      }
      if (beneath != chunk) {
        endChunk();
        chunk = beneath;
        leastOfChunk = Long.MAX_VALUE;
      }
      long end = Math.min(block.end(), beneath.end());
      isChunkKept |= kind != Kind.LIVE;
      isChunkLost |= block.leaked || block.suspended;
      if (isLive) {
        liveOfChunk += end - at;
        leastOfChunk = Math.min(leastOfChunk, end - at);
      }
      at = end;
    }
  }

  private void endChunk() {
    Chunk ended = chunk;
    if (ended == null) {
      return;
    }
    bytes += ended.size;
    if (liveOfChunk == 0) {
      capturedBytes += ended.size;
    } else {
      idleBytes += isChunkKept ? liveOfChunk : liveOfChunk - leastOfChunk;
    }
    keptBytes += isChunkKept ? ended.size : 0;
    lostBytes += isChunkLost ? ended.size : 0;
    chunk = null;
    liveOfChunk = 0;
    isChunkKept = false;
    isChunkLost = false;
  }

  // ---- the figures ----

  /** Returns the bytes of the chunks that stay. */
  public long bytes() {
    return bytes;
  }

  /** Returns the bytes of the other chunks of the heap. */
  public long releasableBytes() {
    return heap.reservedBytes() - bytes;
  }

  /** Returns the bytes of the live blocks that a caller can close. */
  public long closableBytes() {
    return closableBytes;
  }

  /** Returns the bytes of the chunks without a live block, which captures alone hold. */
  public long capturedBytes() {
    return capturedBytes;
  }

  public long keptBytes() {
    return keptBytes;
  }

  public long lostBytes() {
    return lostBytes;
  }

  /**
   * Returns the fewest bytes of other chunks that a block needs, at the best place.
   *
   * @return 0 if free memory serves it where it is
   */
  public long missingFor(long size) {
    boolean small = SizeRules.isSmall(size);
    long longest = small ? longestSmall : longestLarge;
    if (size <= longest || (heap.isVirtual() && size <= Math.max(longestSmall, longestLarge))) {
      return 0;
    }
    long least = heap.bytesFor(size, alignment);
    if (heap.isVirtual()) {
      heap.lock.lock();
      try {
        for (Gap each : gaps) {
          if (each.region.small == small) {
            least = Math.min(least, missingIn(each, size));
          }
        }
      } finally {
        heap.lock.unlock();
      }
    }
    return least;
  }

  /** Returns the bytes for a block at the beginning or the end of a gap, as a growth places it. */
  private long missingIn(Gap gap, long size) {
    long first = alignUp(gap.from, alignment);
    long last = alignUp(gap.to - size, alignment);
    long least = first + size <= gap.to ? missingAt(gap, first, size) : Long.MAX_VALUE;
    return last >= gap.from && last + size <= gap.to
        ? Math.min(least, missingAt(gap, last, size))
        : least;
  }

  /**
   * Returns the bytes of chunks beneath a block at an address, besides those that stay. A chunk
   * that lies partly beneath the block counts as a whole, because it cannot move away.
   */
  private long missingAt(Gap gap, long at, long size) {
    Region region = gap.region;
    long low = Math.max(at, gap.firstMissing());
    long high = Math.min(at + size, gap.endOfMissing());
    if (low >= high) {
      return 0;
    }
    Chunk lowest = region.chunkAt(low);
    Chunk highest = region.chunkAt(high - 1);
    long from = lowest == null ? region.pageUpTo(low) : lowest.address;
    long to = highest == null ? region.pageFrom(high) : highest.end();
    return to - from;
  }

  /**
   * Returns how many bytes of arbitrary live blocks must be closed until {@code wanted} bytes of
   * chunks can move or return.
   *
   * @return {@link Long#MAX_VALUE} if closing all blocks is not enough
   */
  public long anyToClose(long wanted) {
    return bytes - keptBytes < wanted
        ? Long.MAX_VALUE
        : Math.min(wanted + idleBytes, closableBytes);
  }
}
