package org.vramkit.sim.check;

import java.util.ArrayDeque;
import java.util.List;

/** Keeps the last few entries, in bounded memory. */
final class Ring<T> {
  /** Programs that synchronize often do so in the same way, so that a few entries suffice. */
  private static final int CAPACITY = 16;

  private final ArrayDeque<T> latestFirst = new ArrayDeque<>(0);

  public void add(T entry) {
    if (latestFirst.size() == CAPACITY) {
      latestFirst.removeLast();
    }
    latestFirst.addFirst(entry);
  }

  public boolean isEmpty() {
    return latestFirst.isEmpty();
  }

  /** Returns a copy, the latest first. */
  public List<T> latestFirst() {
    return List.copyOf(latestFirst);
  }
}
