package org.vramkit.pool.support;

import org.jspecify.annotations.Nullable;

/**
 * Things in the order in which they came, linked through themselves, so that any of them leaves in
 * constant time. Not safe for threads.
 *
 * @param <L> what is linked; is in one chain at a time at most
 */
public final class Chain<L extends Chain.Link<L>> {
  private @Nullable L oldest;
  private @Nullable L newest;

  /** Empty. */
  public Chain() {}

  /**
   * What can be in a chain.
   *
   * @param <L> itself
   */
  public abstract static class Link<L> {
    private @Nullable L older;
    private @Nullable L newer;

    /** For subclasses. */
    protected Link() {}

    /** What came before it; null for the first. */
    public final @Nullable L older() {
      return older;
    }
  }

  /** What came first; null if it is empty. */
  public @Nullable L oldest() {
    return oldest;
  }

  /** What came last; null if it is empty. */
  public @Nullable L newest() {
    return newest;
  }

  /** Puts it behind the newest. */
  public void add(L link) {
    L before = newest;
    ((Link<L>) link).older = before;
    if (before == null) {
      oldest = link;
    } else {
      ((Link<L>) before).newer = link;
    }
    newest = link;
  }

  /** Takes out what is here. */
  public void remove(L link) {
    Link<L> links = link;
    L before = links.older;
    L after = links.newer;
    if (before == null) {
      oldest = after;
    } else {
      ((Link<L>) before).newer = after;
    }
    if (after == null) {
      newest = before;
    } else {
      ((Link<L>) after).older = before;
    }
    links.older = null;
    links.newer = null;
  }
}
