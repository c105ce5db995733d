package org.vramkit.sim.check;

import java.util.ArrayDeque;

/** Keeps the latest entries, up to a fixed number. */
final class Ring<T> {
  private final ArrayDeque<T> entries = new ArrayDeque<>(0);
  private final int capacity;

  Ring(int capacity) {
    this.capacity = capacity;
  }

  void add(T entry) {
    if (entries.size() == capacity) {
      entries.removeLast();
    }
    entries.addFirst(entry);
  }

  Iterable<T> latestFirst() {
    return entries;
  }

  Iterable<T> oldestFirst() {
    return entries::descendingIterator;
  }
}
