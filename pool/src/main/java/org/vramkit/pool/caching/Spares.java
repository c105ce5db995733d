package org.vramkit.pool.caching;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Extents that lie nowhere at the moment, by their length. Guarded by the growth lock. */
final class Spares {
  private final TreeMap<Integer, ArrayDeque<Extent>> byPages = new TreeMap<>();

  /** For readers without the growth lock. */
  private volatile int pages;

  /** Pages of all of them; readable by anybody. */
  int pages() {
    return pages;
  }

  void add(Extent extent) {
    byPages.computeIfAbsent(extent.pages(), each -> new ArrayDeque<>()).push(extent);
    count(extent.pages());
  }

  void remove(Extent extent) {
    byPages.computeIfPresent(
        extent.pages(),
        (length, of) -> {
          of.remove(extent);
          return of.isEmpty() ? null : of;
        });
    count(-extent.pages());
  }

  /** The latest of so many pages, which stays a spare; there must be one. */
  Extent of(int length) {
    ArrayDeque<Extent> of = byPages.get(length);
    if (of == null) {
      throw new IllegalStateException("no spare has " + length + " pages");
    }
    return of.getFirst();
  }

  /** All of them, the shortest first; a copy. */
  List<Extent> all() {
    List<Extent> all = new ArrayList<>();
    byPages.values().forEach(all::addAll);
    return all;
  }

  private void count(int more) {
    int before = pages;
    pages = before + more;
  }
}
