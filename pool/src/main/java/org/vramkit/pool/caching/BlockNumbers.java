package org.vramkit.pool.caching;

import java.util.Arrays;

/**
 * Small numbers for the blocks that caches hold. A cache links its blocks by number because a write
 * of a number is just that, while a write of a reference tells the garbage collector, which costs
 * G1 more than all else that a hit does.
 *
 * <p>A block gets its number when a cache takes it first, and loses it with its end. The monitor
 * guards the giving and taking and is a leaf; a number is looked up without it, by whoever owns the
 * block.
 */
final class BlockNumbers {
  private static final int FIRST_ROOM = 1 << 8;

  // By number; 0 stands for no block. Grows by copying, so an owner finds its blocks in any copy.
  private volatile Block[] blocks = new Block[FIRST_ROOM];
  private int[] unused = new int[FIRST_ROOM];
  private int unusedCount;
  private int next = 1;

  /** The block of a number that was given and not taken back. */
  Block get(int number) {
    return blocks[number];
  }

  /** The number of a block, which the caller owns. */
  int of(Block block) {
    return block.number != 0 ? block.number : give(block);
  }

  private synchronized int give(Block block) {
    int number = unusedCount > 0 ? unused[--unusedCount] : next++;
    if (number == blocks.length) {
      blocks = Arrays.copyOf(blocks, 2 * number);
    }
    blocks[number] = block;
    block.number = number;
    return number;
  }

  /** The block ends here: it merged into another one, or its memory went back. */
  void takeBack(Block block) {
    if (block.number != 0) {
      recycle(block);
    }
  }

  @SuppressWarnings("NullAway") // between two owners a number means nothing
  private synchronized void recycle(Block block) {
    blocks[block.number] = null;
    if (unusedCount == unused.length) {
      unused = Arrays.copyOf(unused, 2 * unusedCount);
    }
    unused[unusedCount++] = block.number;
    block.number = 0;
  }
}
