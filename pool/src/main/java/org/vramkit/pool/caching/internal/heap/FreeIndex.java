package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Free blocks by size, then by address. Guarded by the heap's lock. A change invalidates all
 * iterators.
 *
 * <p>Blocks are kept in sorted leaves of a few dozen each, with the keys in arrays beside them. A
 * search reads two or three arrays; a tree would visit a dozen nodes and blocks all over the Java
 * heap.
 */
public final class FreeIndex {
  /** The blocks of a full leaf. A leaf splits in two when another block is added. */
  static final int LEAF_BLOCKS = 64;

  /** The number of blocks in a group: a search compares with the last block of each group first. */
  private static final int GROUP = 8;

  /** The size in the unused places of a leaf: larger than any block. */
  private static final long NOTHING = Long.MAX_VALUE;

  /** The shift that leaves the sign bit of a difference of sizes. */
  private static final int SIGN = Long.SIZE - 1;

  /** Consecutive blocks of the index. Only an empty index has an empty leaf. */
  private static final class Leaf {
    final long[] sizes = new long[LEAF_BLOCKS];
    final long[] addresses = new long[LEAF_BLOCKS];
    final @Nullable Block[] blocks = new Block[LEAF_BLOCKS];
    int count;

    Leaf() {
      Arrays.fill(sizes, NOTHING);
    }

    /**
     * Returns the number of blocks that sort before a key. Compares sizes without branches, first
     * the last size of each group and then all sizes of one group. A binary search would be slower,
     * because a processor mispredicts half of its branches, and each misprediction costs as much as
     * a dozen comparisons.
     */
    int below(long size, long address) {
      int place = smaller(size);
      while (place < count && sizes[place] == size && addresses[place] < address) {
        place++;
      }
      return place;
    }

    private int smaller(long size) {
      long groups = 0;
      for (int i = GROUP - 1; i < count; i += GROUP) {
        groups += (sizes[i] - size) >>> SIGN;
      }
      int from = (int) groups * GROUP;
      if (from == LEAF_BLOCKS) {
        return from;
      }
      long blocks = 0;
      for (int i = from; i < from + GROUP; i++) {
        blocks += (sizes[i] - size) >>> SIGN;
      }
      return from + (int) blocks;
    }

    /** Returns the place of a block, whose size and address may have changed since it was added. */
    int placeOf(Block block, long size, long address) {
      int place = below(size, address);
      if (!holdsKey(size, address, place) || blocks[place] != block) {
        throw new IllegalStateException("not free: 0x" + Long.toHexString(address));
      }
      return place;
    }

    /** Returns whether a key sorts before all keys of the leaf. */
    boolean startsAfter(long size, long address) {
      return size < sizes[0] || (size == sizes[0] && address < addresses[0]);
    }

    boolean holdsKey(long size, long address, int place) {
      return place < count && sizes[place] == size && addresses[place] == address;
    }

    boolean isInOrder(int place) {
      return below(sizes[place], addresses[place]) == place;
    }

    void insert(int place, long size, long address, Block block) {
      move(place, this, place + 1, count - place);
      set(place, size, address, block);
      count++;
    }

    /** Removes the block of one place and inserts one at another place. */
    void replace(int from, int to, long size, long address, Block block) {
      if (to < from) {
        move(to, this, to + 1, from - to);
      } else {
        move(from + 1, this, from, to - from);
      }
      set(to, size, address, block);
    }

    private void set(int place, long size, long address, Block block) {
      sizes[place] = size;
      addresses[place] = address;
      blocks[place] = block;
    }

    void remove(int place) {
      move(place + 1, this, place, count - place - 1);
      blocks[--count] = null;
      sizes[count] = NOTHING;
    }

    /** Moves the upper half into an empty leaf. */
    void split(Leaf upper) {
      int half = count / 2;
      upper.count = count - half;
      move(half, upper, 0, upper.count);
      Arrays.fill(blocks, half, count, null);
      Arrays.fill(sizes, half, count, NOTHING);
      count = half;
    }

    private void move(int from, Leaf to, int place, int length) {
      System.arraycopy(sizes, from, to.sizes, place, length);
      System.arraycopy(addresses, from, to.addresses, place, length);
      System.arraycopy(blocks, from, to.blocks, place, length);
    }
  }

  private final ArrayList<Leaf> leaves = new ArrayList<>(List.of(new Leaf()));

  private int count;
  private long bytes;

  void add(Block block) {
    long size = block.size;
    long address = block.address;
    int at = leafOf(size, address);
    Leaf leaf = leaves.get(at);
    int place = leaf.below(size, address);
    if (leaf.holdsKey(size, address, place)) {
      throw new IllegalStateException("already free: 0x" + Long.toHexString(address));
    }
    if (leaf.count == LEAF_BLOCKS) {
      Leaf upper = new Leaf();
      leaves.add(at + 1, upper);
      leaf.split(upper);
      if (place > leaf.count) {
        place -= leaf.count;
        leaf = upper;
      }
    }
    leaf.insert(place, size, address, block);
    assert leaf.isInOrder(place);
    count++;
    bytes += size;
  }

  void remove(Block block) {
    long size = block.size;
    long address = block.address;
    int at = leafOf(size, address);
    Leaf leaf = leaves.get(at);
    remove(at, leaf.placeOf(block, size, address), size);
  }

  private void remove(int at, int place, long size) {
    Leaf leaf = leaves.get(at);
    leaf.remove(place);
    count--;
    bytes -= size;
    if (leaf.count == 0 && leaves.size() > 1) {
      leaves.remove(at);
    }
  }

  /**
   * Replaces a block by another one, or by itself after a change of its size or address. Costs half
   * of a removal and an addition, because both places mostly lie in one leaf.
   *
   * @param oldSize the size of {@code old} when it was added
   * @param oldAddress its address then
   */
  void replace(Block old, long oldSize, long oldAddress, Block block) {
    long size = block.size;
    long address = block.address;
    int at = leafOf(oldSize, oldAddress);
    Leaf leaf = leaves.get(at);
    int from = leaf.placeOf(old, oldSize, oldAddress);
    boolean isLower = at > 0 && leaf.startsAfter(size, address);
    boolean isHigher = at + 1 < leaves.size() && !leaves.get(at + 1).startsAfter(size, address);
    if (isLower || isHigher) {
      remove(at, from, oldSize);
      add(block);
      return;
    }
    int below = leaf.below(size, address);
    int to = below > from ? below - 1 : below;
    leaf.replace(from, to, size, address, block);
    assert leaf.isInOrder(to);
    bytes += size - oldSize;
  }

  /**
   * Returns the position of the last leaf that begins at or before a key; of the first leaf if
   * there is none.
   */
  private int leafOf(long size, long address) {
    int low = 1;
    int high = leaves.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (!leaves.get(middle).startsAfter(size, address)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /**
   * Returns the smallest block of at least this size, the one with the lowest address among equals;
   * null if there is none.
   */
  @Nullable Block bestFit(long size) {
    if (count == 0) {
      return null;
    }
    int at = leafOf(size, 0);
    Leaf leaf = leaves.get(at);
    int place = leaf.below(size, 0);
    if (place == leaf.count) {
      if (at + 1 == leaves.size()) {
        return null;
      }
      leaf = leaves.get(at + 1);
      place = 0;
    }
    return leaf.blocks[place];
  }

  /** Iterates over the blocks of at least {@code size}, the smallest first. */
  Walk fits(long size) {
    int leaf = leafOf(size, 0);
    return new Walk(leaf, leaves.get(leaf).below(size, 0), 1);
  }

  /** Iterates over the blocks of less than {@code size}, the largest first. */
  Walk below(long size) {
    int leaf = leafOf(size, 0);
    return new Walk(leaf, leaves.get(leaf).below(size, 0) - 1, -1);
  }

  final class Walk implements Iterator<Block> {
    private final int step;
    private int at;
    private Leaf leaf;
    private int place;

    Walk(int at, int place, int step) {
      this.at = at;
      this.leaf = leaves.get(at);
      this.place = place;
      this.step = step;
    }

    @Override
    public boolean hasNext() {
      return (place >= 0 && place < leaf.count) || turns();
    }

    /** Moves to the next leaf in its direction; returns false if there is none. */
    private boolean turns() {
      at += step;
      if (at < 0 || at >= leaves.size()) {
        at -= step;
        return false;
      }
      leaf = leaves.get(at);
      place = step > 0 ? 0 : leaf.count - 1;
      return leaf.count > 0;
    }

    @Override
    public Block next() {
      Block block = hasNext() ? leaf.blocks[place] : null;
      if (block == null) {
        throw new NoSuchElementException();
      }
      place += step;
      return block;
    }
  }

  boolean isEmpty() {
    return count == 0;
  }

  int count() {
    return count;
  }

  long bytes() {
    return bytes;
  }

  public List<Block> copy() {
    List<Block> all = new ArrayList<>(count);
    new Walk(0, 0, 1).forEachRemaining(all::add);
    return all;
  }
}
