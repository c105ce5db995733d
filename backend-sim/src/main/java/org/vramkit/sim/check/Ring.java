package org.vramkit.sim.check;

import java.util.ArrayDeque;
import java.util.List;

/** The last few of many, in bounded memory; none at all while nothing was added. */
final class Ring<T> {
  /** Programs that synchronise often do it in the same way, so that a few tell of all. */
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

  /** A copy, the latest first. */
  public List<T> latestFirst() {
    return List.copyOf(latestFirst);
  }
}
