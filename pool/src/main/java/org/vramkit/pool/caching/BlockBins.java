package org.vramkit.pool.caching;

import org.jspecify.annotations.Nullable;

/**
 * Free blocks of one stream by size class, newest first. Not safe for threads: its owner locks.
 *
 * <p>A request looks at the few newest blocks of its own class, of which some may be too small, and
 * then, when {@code loose}, takes the newest of the next class, all of which are large enough. So a
 * block is at most 1/16, or 1/8, larger than asked for.
 */
final class BlockBins {
  /** How many blocks of the own class a request looks at. */
  private static final int GLANCES = 4;

  private final @Nullable Block[] heads;
  private final boolean loose;
  private long bytes;
  private int count;

  BlockBins(long largestBlock, boolean loose) {
    this.heads = new Block[SizeClasses.countUpTo(largestBlock)];
    this.loose = loose;
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
    bytes += block.size;
    count++;
  }

  /** The newest block that fits closely, or null. */
  @Nullable Block pop(long size) {
    int index = SizeClasses.of(size);
    Block before = null;
    Block block = heads[index];
    for (int i = 0; i < GLANCES && block != null; i++) {
      if (block.size == size || (loose && block.size > size)) {
        return unlink(index, before, block);
      }
      before = block;
      block = block.nextCached;
    }
    int above = index + 1;
    if (loose && above < heads.length) {
      Block larger = heads[above];
      return larger == null ? null : unlink(above, null, larger);
    }
    return null;
  }

  /**
   * Moves blocks out, largest class first, until at most so many bytes are left.
   *
   * @return the first of them, linked by {@code nextCached}
   */
  @Nullable Block drain(long keepBytes) {
    Block drained = null;
    for (int i = heads.length - 1; i >= 0 && bytes > keepBytes; i--) {
      Block block = heads[i];
      while (block != null && bytes > keepBytes) {
        Block rest = block.nextCached;
        unlink(i, null, block);
        block.nextCached = drained;
        drained = block;
        block = rest;
      }
    }
    return drained;
  }

  private Block unlink(int index, @Nullable Block before, Block block) {
    if (before == null) {
      heads[index] = block.nextCached;
    } else {
      before.nextCached = block.nextCached;
    }
    block.nextCached = null;
    bytes -= block.size;
    count--;
    return block;
  }
}
