package org.vramkit.pool.caching.internal.page;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Extents that lie nowhere at the moment, by their length. Linked through the extents themselves,
 * so that keeping one needs no memory of the JVM. Guarded by the growth lock.
 */
public final class UnmappedExtents {
  /** By pages, the latest first. */
  private final @Nullable Extent[] latest;

  /** For readers without the growth lock. */
  private volatile int pages;

  /** None yet; extents of at most so many pages. */
  public UnmappedExtents(int mostPages) {
    latest = new Extent[mostPages + 1];
  }

  /** Pages of all of them; readable by anybody. */
  public int pages() {
    return pages;
  }

  public void add(Extent extent) {
    extent.nextSpare = latest[extent.pages()];
    latest[extent.pages()] = extent;
    count(extent.pages());
  }

  public void remove(Extent extent) {
    Extent before = null;
    Extent each = latest[extent.pages()];
    while (each != null && each != extent) {
      before = each;
      each = each.nextSpare;
    }
    if (each == null) {
      throw new IllegalStateException("not a spare of " + extent.pages() + " pages");
    }
    if (before == null) {
      latest[extent.pages()] = extent.nextSpare;
    } else {
      before.nextSpare = extent.nextSpare;
    }
    extent.nextSpare = null;
    count(-extent.pages());
  }

  /** The latest of so many pages, which stays a spare; there must be one. */
  public Extent of(int length) {
    Extent extent = latest[length];
    if (extent == null) {
      throw new IllegalStateException("no spare has " + length + " pages");
    }
    return extent;
  }

  /** All of them, the shortest first; a copy. */
  public List<Extent> all() {
    List<Extent> all = new ArrayList<>();
    for (Extent first : latest) {
      for (Extent each = first; each != null; each = each.nextSpare) {
        all.add(each);
      }
    }
    return all;
  }

  private void count(int more) {
    int before = pages;
    pages = before + more;
  }
}
