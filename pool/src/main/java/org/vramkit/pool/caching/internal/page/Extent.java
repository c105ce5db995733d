package org.vramkit.pool.caching.internal.page;

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

  /** The next of its length that lies nowhere either: see {@link UnmappedExtents}. */
  @Nullable Extent nextSpare;

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
}
