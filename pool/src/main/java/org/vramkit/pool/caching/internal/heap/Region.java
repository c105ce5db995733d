package org.vramkit.pool.caching.internal.heap;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A range of addresses that blocks tile without gaps, and the chunks of memory beneath it. Over
 * virtual memory a region is a part of a reservation, in which chunks are mapped and unmapped. A
 * segment of plain memory is a region with one chunk. Neighbouring blocks of different regions
 * never merge.
 */
public final class Region {
  /**
   * Memory that is taken from the driver, moved and given back as a whole: a physical allocation of
   * virtual memory, or a segment of plain memory. Guarded by the growth lock; {@code region} and
   * {@code address} are guarded by the heap's lock as well.
   */
  static final class Chunk {
    final long size;

    /** The driver's handle of virtual memory; unused for plain memory. */
    final long handle;

    /** The region in which the chunk is mapped; null while it is mapped nowhere. */
    @Nullable Region region;

    /** The address of the first byte, while the chunk is mapped. */
    long address;

    /** True if the driver maps the chunk. */
    boolean mapped;

    Chunk(long size, long handle) {
      this.size = size;
      this.handle = handle;
    }

    long end() {
      return address + size;
    }

    boolean overlaps(Region other, long from, long to) {
      return region == other && address < to && end() > from;
    }
  }

  /**
   * Neighbouring free blocks and holes that a growth may take together for a stream: the stream's
   * unsettled blocks, settled blocks, and the holes between them. They cannot merge. Valid while
   * the heap's lock is held.
   *
   * @param first the lowest block
   * @param size total bytes of the blocks and holes
   */
  record Span(Block first, long size) {
    long end() {
      return first.address + size;
    }

    /**
     * Returns the span around a free block that the stream may take. A search finds each span once.
     *
     * @param search the number of the search, from {@link Heap#nextSearch}
     * @return null if this search has found the span before
     */
    static @Nullable Span around(Block middle, StreamState owner, int search) {
      if (middle.search == search) {
        return null;
      }
      middle.search = search;
      Block first = middle;
      for (Block left = middle.previous; left != null && isFor(left, owner); ) {
        left.search = search;
        first = left;
        left = left.previous;
      }
      long end = middle.end();
      for (Block right = middle.next; right != null && isFor(right, owner); ) {
        right.search = search;
        end = right.end();
        right = right.next;
      }
      return new Span(first, end - first.address);
    }

    private static boolean isFor(Block block, StreamState owner) {
      return switch (block.place) {
        case SETTLED, HOLE -> true;
        case UNSETTLED -> block.streamState == owner;
        case TAKEN, STUCK, SUSPENDED -> false;
      };
    }

    /** Returns the bytes without memory beneath a part of the span, in whole pages. */
    long missing(long from, long to) {
      Region region = first.region;
      long missing = 0;
      for (Block each = first; each != null && each.address < to; each = each.next) {
        if (each.place == Block.Place.HOLE && each.end() > from) {
          long low = region.pageUpTo(Math.max(from, each.address));
          long high = region.pageFrom(Math.min(to, each.end()));
          missing += high - low;
        }
      }
      return missing;
    }
  }

  /**
   * How many merged blocks are kept for reuse by splits; unlike a new object, they are likely in a
   * processor's cache.
   */
  private static final int MOST_SPARE_BLOCKS = 16;

  public final long address;
  public final long size;

  /**
   * True if the region is for small blocks: see {@link
   * org.vramkit.pool.caching.internal.option.SizeRules#isSmall}.
   */
  public final boolean small;

  /** The block at {@link #address}. Guarded by the heap's lock. */
  public Block first;

  private final int pageShift;

  /** The chunk beneath each page, up to the last page ever used; null for a page without memory. */
  private @Nullable Chunk[] chunks;

  private @Nullable Block spareBlocks;
  private int spareBlockCount;

  /**
   * Creates a region without memory.
   *
   * @param pageSize a power of two; every chunk is a multiple of it
   */
  Region(long address, long size, boolean small, long pageSize) {
    this(address, size, small, Long.numberOfTrailingZeros(pageSize), new Chunk[0]);
  }

  Region(long address, Chunk whole, boolean small) {
    this(address, whole.size, small, Long.SIZE - 1, new Chunk[] {whole});
    whole.region = this;
    whole.address = address;
  }

  @SuppressWarnings("this-escape")
  private Region(long address, long size, boolean small, int pageShift, @Nullable Chunk[] chunks) {
    this.address = address;
    this.size = size;
    this.small = small;
    this.pageShift = pageShift;
    this.chunks = chunks;
    this.first = new Block(this, address, size);
  }

  long end() {
    return address + size;
  }

  boolean holds(long at) {
    return at >= address && at < end();
  }

  /** Returns the chunk beneath an address; null if there is none. Called under the heap's lock. */
  @Nullable Chunk chunkAt(long at) {
    int page = pageOf(at);
    return page < chunks.length ? chunks[page] : null;
  }

  /** Records that a chunk has been mapped to an address. Called under the heap's lock. */
  void chunkMapped(Chunk chunk, long at) {
    assert chunk.region == null && at == pageUpTo(at);
    int from = pageOf(at);
    int to = pageOf(at + chunk.size);
    if (to > chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(to, Math.max(64, chunks.length * 3 / 2)));
    }
    Arrays.fill(chunks, from, to, chunk);
    chunk.region = this;
    chunk.address = at;
  }

  /** Records that a chunk has been unmapped. Called under the heap's lock. */
  void chunkUnmapped(Chunk chunk) {
    assert chunk.region == this && chunkAt(chunk.address) == chunk;
    Arrays.fill(chunks, pageOf(chunk.address), pageOf(chunk.end()), null);
    chunk.region = null;
  }

  private int pageOf(long at) {
    return (int) ((at - address) >>> pageShift);
  }

  /**
   * Returns the end of the addresses from {@code from} on that all have memory, or all none; at
   * most {@code to}. Called under the heap's lock.
   */
  long endOfRun(long from, long to) {
    boolean hole = chunkAt(from) == null;
    long at = from;
    while (at < to && (chunkAt(at) == null) == hole) {
      at = pageFrom(at + 1);
    }
    return Math.min(at, to);
  }

  /** Rounds an address up to a page. */
  long pageFrom(long at) {
    long mask = (1L << pageShift) - 1;
    return address + ((at - address + mask) & ~mask);
  }

  /** Rounds an address down to a page. */
  long pageUpTo(long at) {
    return address + ((at - address) & -(1L << pageShift));
  }

  /**
   * Returns the first chunk that lies wholly in a range of memory; null if there is none. Called
   * under the heap's lock.
   *
   * @param from start of the range, which has memory throughout
   * @param to end of the range
   */
  @Nullable Chunk firstInside(long from, long to) {
    Chunk chunk = chunkAt(from);
    while (chunk != null && chunk.address < from) {
      chunk = chunk.end() < to ? chunkAt(chunk.end()) : null;
    }
    return chunk != null && chunk.end() <= to ? chunk : null;
  }

  /**
   * Returns the bytes of the chunks that lie wholly in a range of memory. Called under the heap's
   * lock.
   */
  long wholeBytes(long from, long to) {
    Chunk first = firstInside(from, to);
    if (first == null) {
      return 0;
    }
    Chunk last = chunkAt(to - 1);
    return (last == null || last.end() <= to ? to : last.address) - first.address;
  }

  /**
   * Returns a block object for a split, reused if possible. The caller sets its fields. Called
   * under the heap's lock.
   */
  Block newPiece() {
    Block piece = spareBlocks;
    if (piece == null) {
      return new Block(this, address, size);
    }
    spareBlocks = piece.next;
    spareBlockCount--;
    piece.next = null;
    return piece;
  }

  /** Keeps the object of a merged block for reuse. Called under the heap's lock. */
  void keepSpare(Block block) {
    block.previous = null;
    if (spareBlockCount < MOST_SPARE_BLOCKS) {
      block.next = spareBlocks;
      spareBlocks = block;
      spareBlockCount++;
    }
  }
}
