package org.vramkit.pool.caching;

import org.jspecify.annotations.Nullable;

/**
 * Free blocks of one stream by size class, newest first. Not safe for threads: its owner locks.
 *
 * <p>A request looks at the few newest blocks of its own class, of which some may be too small, and
 * then takes the newest of the next class that has any, within reach. With a reach of one class a
 * block is at most 1/8 larger than asked for, with eight at most 9/16; below 8 KiB, where classes
 * are single quanta, at most as many quanta.
 */
final class BlockBins {
  /** How many blocks of the own class a request looks at. */
  private static final int GLANCES = 4;

  private final @Nullable Block[] heads;

  /** A bit for each class that has a block. */
  private final long[] occupied;

  private long bytes;
  private int count;

  BlockBins(long largestBlock) {
    this.heads = new Block[SizeClasses.countUpTo(largestBlock)];
    this.occupied = new long[(heads.length >>> 6) + 1];
  }

  long bytes() {
    return bytes;
  }

  int count() {
    return count;
  }

  void push(Block block) {
    int index = SizeClasses.of(block.size);
    block.nextCached = heads[index];
    heads[index] = block;
    occupied[index >>> 6] |= 1L << index;
    bytes += block.size;
    count++;
  }

  /**
   * The newest block that fits, or null.
   *
   * @param reach how many classes above the own one may serve; 0 for the exact size alone
   */
  @Nullable Block pop(long size, int reach) {
    int index = SizeClasses.of(size);
    Block before = null;
    Block block = heads[index];
    for (int i = 0; i < GLANCES && block != null; i++) {
      if (block.size == size || (reach > 0 && block.size > size)) {
        return unlink(index, before, block);
      }
      before = block;
      block = block.nextCached;
    }
    int above = nextOccupied(index + 1, index + reach);
    return above < 0 ? null : unlink(above, null, head(above));
  }

  /** The first class from {@code from} to {@code to} that has a block, or -1. */
  private int nextOccupied(int from, int to) {
    for (int word = from >>> 6; word <= to >>> 6 && word < occupied.length; word++) {
      long bits = occupied[word] & (word == from >>> 6 ? -1L << from : -1L);
      if (bits != 0) {
        int found = (word << 6) + Long.numberOfTrailingZeros(bits);
        return found <= to ? found : -1;
      }
    }
    return -1;
  }

  /**
   * Moves blocks out, largest class first, until at most so many bytes are left.
   *
   * @return the first of them, linked by {@code nextCached}
   */
  @Nullable Block drain(long keepBytes) {
    Block drained = null;
    for (int i = heads.length - 1; i >= 0; i--) {
      while (heads[i] != null && bytes > keepBytes) {
        drained = moveOut(i, drained);
      }
    }
    return drained;
  }

  /**
   * Moves blocks out, of each class the newer half, largest class first, and again, until at most
   * so many bytes are left: so that a cache that is too full keeps some of every class.
   *
   * @return the first of them, linked by {@code nextCached}
   */
  @Nullable Block thin(long keepBytes) {
    Block drained = null;
    while (bytes > keepBytes) {
      for (int i = heads.length - 1; i >= 0 && bytes > keepBytes; i--) {
        for (int blocks = (lengthOf(i) + 1) / 2; blocks > 0 && bytes > keepBytes; blocks--) {
          drained = moveOut(i, drained);
        }
      }
    }
    return drained;
  }

  /** Puts the newest block of a class in front of others that were moved out. */
  private Block moveOut(int index, @Nullable Block others) {
    Block block = unlink(index, null, head(index));
    block.nextCached = others;
    return block;
  }

  private int lengthOf(int index) {
    int length = 0;
    for (Block block = heads[index]; block != null; block = block.nextCached) {
      length++;
    }
    return length;
  }

  private Block head(int index) {
    Block head = heads[index];
    if (head == null) {
      throw new IllegalStateException("class " + index + " is empty");
    }
    return head;
  }

  private Block unlink(int index, @Nullable Block before, Block block) {
    if (before == null) {
      heads[index] = block.nextCached;
      if (block.nextCached == null) {
        occupied[index >>> 6] &= ~(1L << index);
      }
    } else {
      before.nextCached = block.nextCached;
    }
    block.nextCached = null;
    bytes -= block.size;
    count--;
    return block;
  }
}
