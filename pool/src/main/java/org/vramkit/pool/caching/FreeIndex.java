package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Free blocks by size, then address. Guarded by the heap's lock. */
final class FreeIndex {
  private static final Comparator<Block> BEST_FIT =
      (a, b) -> {
        int bySize = Long.compare(a.size, b.size);
        return bySize != 0 ? bySize : Long.compare(a.address, b.address);
      };

  private final TreeSet<Block> blocks = new TreeSet<>(BEST_FIT);
  private final Block probe = new Segment(0, 0, false).first;

  void add(Block block) {
    if (!blocks.add(block)) {
      throw new IllegalStateException("already free: 0x" + Long.toHexString(block.address));
    }
  }

  void remove(Block block) {
    if (!blocks.remove(block)) {
      throw new IllegalStateException("not free: 0x" + Long.toHexString(block.address));
    }
  }

  /** The smallest block of at least this size, the lowest of equals; null if there is none. */
  @Nullable Block bestFit(long size) {
    probe.size = size;
    return blocks.ceiling(probe);
  }

  /** The next larger block in the same order. */
  @Nullable Block after(Block block) {
    return blocks.higher(block);
  }

  /** The next smaller block in the same order. */
  @Nullable Block before(Block block) {
    return blocks.lower(block);
  }

  @Nullable Block largest() {
    return blocks.isEmpty() ? null : blocks.last();
  }

  boolean isEmpty() {
    return blocks.isEmpty();
  }

  int count() {
    return blocks.size();
  }

  List<Block> copy() {
    return new ArrayList<>(blocks);
  }
}
