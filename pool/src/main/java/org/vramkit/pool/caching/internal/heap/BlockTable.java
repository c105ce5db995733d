package org.vramkit.pool.caching.internal.heap;

import java.util.Arrays;

/**
 * Small numbers for blocks. Caches link their blocks by number because a write of a number is just
 * that, while a write of a reference tells the garbage collector, which costs G1 more than all else
 * that a hit does.
 *
 * <p>A block gets its number when it is taken out of the heap, and loses it with its end. Both
 * happen under the heap's lock, so that no cache ever waits for a number. Whoever owns a block
 * looks its number up without a lock.
 */
public final class BlockTable {
  private static final int FIRST_ROOM = 1 << 8;

  // By number; 0 stands for no block. Grows by copying, so an owner finds its blocks in any copy.
  private volatile Block[] blocks = new Block[FIRST_ROOM];

  /** Numbers taken back; as long as the table, so that taking one back needs no memory. */
  private int[] unused = new int[FIRST_ROOM];

  private int unusedCount;
  private int next = 1;

  /** The block of a number that was given and not taken back. */
  public Block get(int number) {
    return blocks[number];
  }

  /** Makes room, so that the next {@link #give} needs no memory. */
  void prepare() {
    if (unusedCount == 0 && next == blocks.length) {
      unused = Arrays.copyOf(unused, 2 * next);
      blocks = Arrays.copyOf(blocks, 2 * next);
    }
  }

  /** Numbers a block that has no number yet. */
  public void give(Block block) {
    if (block.number == 0) {
      prepare();
      int number = unusedCount > 0 ? unused[--unusedCount] : next++;
      blocks[number] = block;
      block.number = number;
    }
  }

  /** The block ends here: it merged into another one, or its memory went back. */
  @SuppressWarnings("NullAway") // between two owners a number means nothing
  void takeBack(Block block) {
    if (block.number != 0) {
      blocks[block.number] = null;
      unused[unusedCount++] = block.number;
      block.number = 0;
    }
  }
}
