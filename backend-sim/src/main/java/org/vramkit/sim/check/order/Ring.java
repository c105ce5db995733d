package org.vramkit.sim.check.order;

import java.util.ArrayList;
import java.util.List;

/** The last few of many, in bounded memory; none at all while nothing was added. */
public final class Ring<T> {
  /** Programs that synchronise often do it in the same way, so that a few tell of all. */
  private static final int CAPACITY = 16;

  private final List<T> entries = new ArrayList<>(0);
  private int oldest;

  public void add(T entry) {
    if (entries.size() < CAPACITY) {
      entries.add(entry);
    } else {
      entries.set(oldest, entry);
      oldest = (oldest + 1) % CAPACITY;
    }
  }

  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /** A copy, the latest first. */
  public List<T> latestFirst() {
    List<T> latest = new ArrayList<>(entries.size());
    for (int i = entries.size() - 1; i >= 0; i--) {
      latest.add(entries.get((oldest + i) % entries.size()));
    }
    return latest;
  }
}
