package org.vramkit.sim.memory;

import java.util.HashMap;
import java.util.Map;

/**
 * Plain blocks of a device, or of the host: their addresses and the memory that they take. Small
 * blocks share pages of 2 MiB, in which each takes the lowest place that fits; larger ones have
 * pages of their own. Fresh addresses do not show these places. Not thread-safe.
 */
public final class BlockSpace {
  /** Blocks begin at multiples of this, and their sizes are rounded up to it. */
  public static final long SLOT = 512;

  private static final long PAGE = RangeAddresses.PAGE;

  /** Takes and returns memory. */
  public interface Memory {
    /** Takes memory; returns false if there is too little. */
    boolean reserve(long bytes);

    void release(long bytes);
  }

  /** Memory that does not run out. */
  static final Memory UNLIMITED =
      new Memory() {
        @Override
        public boolean reserve(long bytes) {
          return true;
        }

        @Override
        public void release(long bytes) {
          // Nothing is counted.
        }
      };

  /** A block: the size of its range, the memory it takes, and its place in a shared page or -1. */
  private record Block(long range, long taken, long place) {}

  private final Memory memory;
  private final long unit;
  private final boolean fresh;
  private final Packing packing = new Packing(PAGE);
  private final FreshAddresses freshAddresses;
  private final RangeAddresses pages;
  private final RangeAddresses ranges;

  /** Addresses of shared pages by their first places, if addresses are reused. */
  private final Map<Long, Long> pageAddresses = new HashMap<>();

  private final Map<Long, Block> blocks = new HashMap<>();

  /** Number of blocks that share no page with others. */
  private int large;

  /**
   * Creates a space without blocks.
   *
   * @param unit the unit in which memory is taken: 2 MiB as in the driver, or {@link #SLOT}, so
   *     that blocks take exactly their rounded size
   */
  public BlockSpace(AddressArena arena, Memory memory, long unit) {
    this.memory = memory;
    this.unit = unit;
    this.fresh = arena.isFresh();
    this.freshAddresses = new FreshAddresses(arena, PAGE);
    this.pages = new RangeAddresses(arena, true);
    this.ranges = new RangeAddresses(arena, true);
  }

  /** Returns the address of a new block; -1 if memory or addresses are too few. */
  public long allocate(long bytes) {
    long rounded = (bytes + SLOT - 1) & -SLOT;
    if (rounded < 0) {
      return -1;
    }
    return rounded < PAGE ? small(rounded) : large((bytes + PAGE - 1) & -PAGE, rounded);
  }

  private long large(long range, long rounded) {
    long taken = unit == PAGE ? range : rounded;
    if (range < 0 || !memory.reserve(taken)) {
      return -1;
    }
    long address = ranges.allocate(range);
    if (address < 0) {
      memory.release(taken);
    } else {
      blocks.put(address, new Block(range, taken, -1));
      large++;
    }
    return address;
  }

  private long small(long bytes) {
    if (unit != PAGE) {
      return exact(bytes);
    }
    long place = packing.place(bytes);
    if (place < 0) {
      if (!memory.reserve(PAGE)) {
        return -1;
      }
      packing.addUnit();
      place = packing.place(bytes);
    }
    long address = addressOf(place, bytes);
    if (address < 0) {
      leave(place, bytes);
    } else {
      blocks.put(address, new Block(bytes, 0, place));
    }
    return address;
  }

  private long exact(long bytes) {
    if (!memory.reserve(bytes)) {
      return -1;
    }
    long address = freshAddresses.allocate(bytes);
    if (address < 0) {
      memory.release(bytes);
    } else {
      blocks.put(address, new Block(bytes, bytes, 0));
    }
    return address;
  }

  private long addressOf(long place, long bytes) {
    if (fresh) {
      return freshAddresses.allocate(bytes);
    }
    long first = packing.unitOf(place);
    Long known = pageAddresses.get(first);
    long page = known == null ? pages.allocate(PAGE) : known;
    if (page < 0) {
      return -1;
    }
    pageAddresses.put(first, page);
    return page + place - first;
  }

  /** Returns whether {@link #allocate} returned an address that is not freed. */
  public boolean contains(long address) {
    return blocks.containsKey(address);
  }

  /** Returns the number of blocks that share no page with others. */
  public int getLargeBlocks() {
    return large;
  }

  /** Frees a block that {@link #allocate} returned. */
  public void free(long address) {
    Block block = blocks.remove(address);
    if (block == null) {
      throw new IllegalStateException("no block begins at " + address);
    }
    if (block.place < 0) {
      large--;
      ranges.free(address, block.range);
    } else if (fresh || unit != PAGE) {
      freshAddresses.free(address);
    }
    if (block.place >= 0 && unit == PAGE) {
      leave(block.place, block.range);
    } else {
      memory.release(block.taken);
    }
  }

  /** Frees a place, and the page with its last block. */
  private void leave(long place, long bytes) {
    if (packing.free(place, bytes)) {
      memory.release(PAGE);
      Long page = pageAddresses.remove(packing.unitOf(place));
      if (page != null) {
        pages.free(page, PAGE);
      }
    }
  }
}
