package org.vramkit.pool.caching.internal.cache;

import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.support.Padded;

/**
 * Free blocks of a stream by size class, newest first. Guarded by the lock of its cache.
 *
 * <p>Classes are exact below 16 quanta, then 16 for each doubling, so blocks of a class differ by
 * at most 1/16.
 *
 * <p>A request examines the few newest blocks of its own class, some of which may be too small. If
 * none fits, it takes the newest block of the next class within reach that is not empty. With a
 * reach of one class a block is at most 1/8 larger than requested; below 8 KiB, where each class
 * has a single size, at most one quantum.
 */
public final class BlockBins extends Padded {
  private static final int STEPS_LOG2 = 4;
  private static final int STEPS = 1 << STEPS_LOG2;
  private static final int QUANTUM_LOG2 = Long.numberOfTrailingZeros(SizeRules.QUANTUM);

  /** Most blocks of its own class that a request examines. */
  private static final int MAX_PROBES = 4;

  private final Block.Table numbers;

  /** Number of the newest block of each class; 0 for none. */
  private final int[] heads;

  /** A bit for each class that may have a block. A search clears the bits of empty classes. */
  private final long[] occupied;

  private long bytes;
  private int count;

  BlockBins(long largestBlock, Block.Table numbers) {
    this.numbers = numbers;
    this.heads = new int[classOf(largestBlock) + 1];
    this.occupied = new long[(heads.length >>> 6) + 1];
  }

  private static int classOf(long size) {
    long quanta = size >>> QUANTUM_LOG2;
    if (quanta < STEPS) {
      return (int) quanta;
    }
    int shift = shiftOf(quanta);
    return (shift << STEPS_LOG2) + (int) (quanta >>> shift);
  }

  private static int shiftOf(long quanta) {
    return 63 - Long.numberOfLeadingZeros(quanta) - STEPS_LOG2;
  }

  long bytes() {
    return bytes;
  }

  int count() {
    return count;
  }

  void push(Block block) {
    int index = classOf(block.size);
    block.nextNumber = heads[index];
    heads[index] = block.number;
    long bit = 1L << index;
    if ((occupied[index >>> 6] & bit) == 0) {
      occupied[index >>> 6] |= bit;
    }
    bytes += block.size;
    count++;
  }

  /**
   * Removes and returns the newest block that fits; null if there is none.
   *
   * @param reach number of larger classes that may serve; 0 for the exact size only
   */
  @Nullable Block pop(long size, int reach) {
    int index = classOf(size);
    if (index >= heads.length) {
      return null;
    }
    Block before = null;
    int number = heads[index];
    for (int i = 0; i < MAX_PROBES && number != 0; i++) {
      Block block = numbers.get(number);
      if (block.size == size || (reach > 0 && block.size > size)) {
        return unlink(index, before, block);
      }
      before = block;
      number = block.nextNumber;
    }
    int above = nextOccupied(index + 1, Math.min(index + reach, heads.length - 1));
    return above < 0 ? null : unlink(above, null, numbers.get(heads[above]));
  }

  /**
   * Removes and returns one of the newest blocks of the class that is large enough and aligned;
   * null if there is none.
   */
  @Nullable Block popAligned(long size, long alignment) {
    int index = classOf(size);
    if (index >= heads.length) {
      return null;
    }
    Block before = null;
    int number = heads[index];
    for (int i = 0; i < MAX_PROBES && number != 0; i++) {
      Block block = numbers.get(number);
      if (block.size >= size && block.isAligned(alignment)) {
        return unlink(index, before, block);
      }
      before = block;
      number = block.nextNumber;
    }
    return null;
  }

  private Block unlink(int index, @Nullable Block before, Block block) {
    if (before == null) {
      heads[index] = block.nextNumber;
    } else {
      before.nextNumber = block.nextNumber;
    }
    bytes -= block.size;
    count--;
    return block;
  }

  /** Returns the first class from {@code from} to {@code to} that has a block, or -1. */
  private int nextOccupied(int from, int to) {
    int index = from;
    while (index <= to) {
      int word = index >>> 6;
      long bits = occupied[word] & (-1L << index);
      if (bits == 0) {
        index = (word + 1) << 6;
        continue;
      }
      index = (word << 6) + Long.numberOfTrailingZeros(bits);
      if (heads[index] == 0) {
        occupied[word] &= ~(1L << index);
      } else {
        return index <= to ? index : -1;
      }
    }
    return -1;
  }

  /** Returns the last class up to {@code from} that has a block, or -1. */
  private int lastOccupied(int from) {
    for (int word = from >>> 6; word >= 0; word--) {
      long bits = occupied[word] & (word == from >>> 6 ? -1L >>> ~from : -1L);
      while (bits != 0) {
        int index = (word << 6) + 63 - Long.numberOfLeadingZeros(bits);
        if (heads[index] != 0) {
          return index;
        }
        bits &= ~(1L << index);
        occupied[word] &= ~(1L << index);
      }
    }
    return -1;
  }

  /**
   * Removes blocks, the largest classes first, until at most {@code keepBytes} are left.
   *
   * @return the first removed block; the others are linked by {@code nextCached}
   */
  @Nullable Block drain(long keepBytes) {
    Block drained = null;
    int last = lastOccupied(heads.length - 1);
    while (last >= 0 && bytes > keepBytes) {
      drained = moveOut(last, drained);
      last = lastOccupied(last);
    }
    return drained;
  }

  /** Removes the newest block of a class and links it in front of others. */
  private Block moveOut(int index, @Nullable Block others) {
    Block block = unlink(index, null, numbers.get(heads[index]));
    block.nextCached = others;
    return block;
  }
}
