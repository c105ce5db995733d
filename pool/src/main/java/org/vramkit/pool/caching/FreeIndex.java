package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
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
  private final Segment nowhere = new Segment(0, 0, false);

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
    return blocks.ceiling(probe(size));
  }

  /** The blocks of at least this size, best fit first. */
  Iterator<Block> fits(long size) {
    if (blocks.isEmpty()) {
      return Collections.emptyIterator();
    }
    return blocks.tailSet(probe(size), true).iterator();
  }

  /** The blocks of less than this size, the largest first. */
  Iterator<Block> below(long size) {
    if (blocks.isEmpty()) {
      return Collections.emptyIterator();
    }
    return blocks.headSet(probe(size), false).descendingIterator();
  }

  /** Below every block of this size, above every smaller one. */
  private Block probe(long size) {
    return new Block(nowhere, 0, size);
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
