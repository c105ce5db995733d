package org.vramkit.pool.caching.internal.page;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Physical memory that the driver gave at once: several pages, mapped as a whole or not at all.
 * When it is laid, it lies beneath one block alone, and what is free beside a small one. What that
 * block's stream frees and takes again in parts before it has passed, may lie beneath the same
 * extent: then the extent is pinned, neither cut nor moved, until all of it is free and settled.
 */
public final class Extent implements PageSpans.Pages {
  /** The driver's name of it; set once. */
  long handle;

  private final int pages;

  /** The next of its length that lies nowhere either: see {@link Unmapped}. */
  private @Nullable Extent nextSpare;

  /** Its first page, where it lies. Guarded by the heap's lock while it is shown. */
  private int from;

  /** Whether it was ever laid anywhere. */
  private boolean laid;

  Extent(int pages) {
    this.pages = pages;
  }

  @Override
  public int pages() {
    return pages;
  }

  @Override
  public int from() {
    return from;
  }

  @Override
  public int to() {
    return from + pages;
  }

  /** It lies at other pages from now on. */
  public void moveTo(int first) {
    from = first;
  }

  /**
   * The same, of one that the driver laid there.
   *
   * @return whether it lay anywhere before
   */
  boolean layAt(int first) {
    boolean moved = laid;
    laid = true;
    from = first;
    return moved;
  }

  /**
   * Extents that lie nowhere at the moment, by their length. Linked through the extents themselves,
   * so that keeping one needs no memory of the JVM. Guarded by the growth lock.
   */
  public static final class Unmapped {
    /** By pages, the latest first. */
    private final @Nullable Extent[] latest;

    /** For readers without the growth lock. */
    private volatile int pages;

    /** None yet; extents of at most so many pages. */
    public Unmapped(int mostPages) {
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
}
