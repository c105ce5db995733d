package org.vramkit.pool.caching.internal.history;

import org.jspecify.annotations.Nullable;

/**
 * Chunks in the order in which they were added. Needs no memory, and calls nothing between one link
 * and the next, so that no error of the JVM comes in between. Guarded by the ring's monitor.
 */
final class ChunkList {
  private @Nullable Chunk first;
  private @Nullable Chunk last;
  private int size;

  int size() {
    return size;
  }

  @Nullable Chunk first() {
    return first;
  }

  void add(Chunk chunk) {
    Chunk before = last;
    chunk.previous = before;
    chunk.next = null;
    last = chunk;
    if (before == null) {
      first = chunk;
    } else {
      before.next = chunk;
    }
    size++;
  }

  /** Takes out one that is in it. */
  void remove(Chunk chunk) {
    Chunk before = chunk.previous;
    Chunk after = chunk.next;
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    chunk.previous = null;
    chunk.next = null;
    size--;
  }

  /** The one whose events end first, of those that are not that one; null if there is none. */
  @Nullable Chunk leastLast(Chunk that) {
    Chunk least = null;
    for (Chunk each = first; each != null; each = each.next) {
      if (each != that && (least == null || each.last() < least.last())) {
        least = each;
      }
    }
    return least;
  }
}
