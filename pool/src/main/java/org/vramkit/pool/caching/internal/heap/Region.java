package org.vramkit.pool.caching.internal.heap;

import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A range of addresses that blocks tile without gaps, and the chunks of memory beneath it. Over
 * virtual memory a region is a reservation, whose chunks come, move and go; a segment of plain
 * memory is a region with one chunk. Neighbouring blocks of different regions never merge.
 */
public final class Region {
  /**
   * Memory that the driver gave as a whole, and that moves and goes back as a whole: a physical
   * allocation of virtual memory, or the memory beneath a region of plain memory. Guarded by the
   * growth lock; where it lies is guarded by the heap's lock as well.
   */
  static final class Chunk {
    final long size;

    /** The driver's handle of virtual memory; unused for plain memory. */
    final long handle;

    /** Null while the chunk lies nowhere. */
    @Nullable Region region;

    /** The first byte of it, while it lies in a region. */
    long address;

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
   * Neighbouring free blocks and holes that a growth may take together for a stream although they
   * cannot merge: its own unsettled blocks, settled ones, and the holes between them. Valid while
   * the heap's lock is held.
   *
   * @param first the lowest block
   * @param size bytes of all of them
   */
  record Span(Block first, long size) {
    long end() {
      return first.address + size;
    }

    /**
     * The span around a free block that the stream may take. Each span is found once in a search.
     *
     * @param search a number that the search before did not have
     * @return null if a block of the span was asked about before
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
        case UNSETTLED -> block.heap == owner;
        case TAKEN, STUCK, AWAY -> false;
      };
    }

    /** Bytes without memory beneath a part of the span, in whole pages. */
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
   * Merged blocks that are kept as the next pieces: a new object would be memory that no processor
   * has at hand.
   */
  private static final int MOST_SPARE_BLOCKS = 16;

  public final long address;
  public final long size;

  /**
   * Returns whether it holds small blocks: see {@link
   * org.vramkit.pool.caching.internal.option.SizeRules#isSmall}.
   */
  public final boolean small;

  /** The block at {@link #address}. Guarded by the heap's lock. */
  public Block first;

  private final int pageShift;

  /** The chunk beneath each page, as far as pages were ever used; null where no memory lies. */
  private @Nullable Chunk[] chunks;

  private @Nullable Block spareBlocks;
  private int spareBlockCount;

  /**
   * A region without memory.
   *
   * @param pageSize a power of two; every chunk is a multiple of it
   */
  Region(long address, long size, boolean small, long pageSize) {
    this(address, size, small, Long.numberOfTrailingZeros(pageSize), new Chunk[0]);
  }

  /** A segment: a region whose whole range lies on one chunk. */
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

  /** The chunk beneath a byte; null where no memory lies. Locked. */
  @Nullable Chunk chunkAt(long at) {
    int page = pageOf(at);
    return page < chunks.length ? chunks[page] : null;
  }

  /** Notes that a chunk lies at an address from now on. Locked. */
  void lay(Chunk chunk, long at) {
    int from = pageOf(at);
    int to = pageOf(at + chunk.size);
    if (to > chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(to, Math.max(64, chunks.length * 3 / 2)));
    }
    Arrays.fill(chunks, from, to, chunk);
    chunk.region = this;
    chunk.address = at;
  }

  /** Notes that a chunk lies here no more. Locked. */
  void lift(Chunk chunk) {
    Arrays.fill(chunks, pageOf(chunk.address), pageOf(chunk.end()), null);
    chunk.region = null;
  }

  /** Adds every chunk that lies here. */
  void addChunks(Set<Chunk> all) {
    for (Chunk each : chunks) {
      if (each != null) {
        all.add(each);
      }
    }
  }

  private int pageOf(long at) {
    return (int) ((at - address) >>> pageShift);
  }

  /** The end of addresses that all have memory, or all have none; at most {@code to}. Locked. */
  long endOfRun(long from, long to) {
    boolean hole = chunkAt(from) == null;
    long at = from;
    while (at < to && (chunkAt(at) == null) == hole) {
      at = pageFrom(at + 1);
    }
    return Math.min(at, to);
  }

  /** The first address from one on at which a page begins. */
  long pageFrom(long at) {
    long mask = (1L << pageShift) - 1;
    return address + ((at - address + mask) & ~mask);
  }

  /** The last address up to one at which a page begins. */
  long pageUpTo(long at) {
    return address + ((at - address) & -(1L << pageShift));
  }

  /**
   * The first chunk that lies wholly in a range of memory; null if there is none. Locked.
   *
   * @param from where memory lies
   * @param to up to where memory lies
   */
  @Nullable Chunk firstInside(long from, long to) {
    Chunk chunk = chunkAt(from);
    while (chunk != null && chunk.address < from) {
      chunk = chunk.end() < to ? chunkAt(chunk.end()) : null;
    }
    return chunk != null && chunk.end() <= to ? chunk : null;
  }

  /** Bytes of the chunks that lie wholly in a range of memory. Locked. */
  long wholeBytes(long from, long to) {
    Chunk first = firstInside(from, to);
    if (first == null) {
      return 0;
    }
    Chunk last = chunkAt(to - 1);
    return (last == null || last.end() <= to ? to : last.address) - first.address;
  }

  /** A block that will be a piece of another block of this region. Locked. */
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

  /** Keeps a block that merged into another one. Locked. */
  void keepSpare(Block block) {
    block.previous = null;
    if (spareBlockCount < MOST_SPARE_BLOCKS) {
      block.next = spareBlocks;
      spareBlocks = block;
      spareBlockCount++;
    }
  }
}
