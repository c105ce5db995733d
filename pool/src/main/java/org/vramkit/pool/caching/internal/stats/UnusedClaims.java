package org.vramkit.pool.caching.internal.stats;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Stripes that may have claimed more than is live: whom to ask before a peak is raised. A stack of
 * the claims themselves, because a close must not need memory of the JVM. Any thread adds, one at a
 * time takes.
 */
public final class UnusedClaims {
  private final AtomicReference<@Nullable Claims> newest = new AtomicReference<>();
  private final AtomicBoolean collecting = new AtomicBoolean();

  /** Adds what is not here. */
  void add(Claims claims) {
    Claims older;
    do {
      older = newest.get();
      claims.olderListed = older;
    } while (!newest.compareAndSet(older, claims));
  }

  /**
   * Has stripes give back what they have claimed and not used, until it comes to one in use.
   *
   * @param asking claims whose lock the caller has, and which follow
   * @return false if a stripe is in use, or another thread collects just now
   */
  boolean collect(Claims asking) {
    if (newest.get() == null) {
      return true;
    }
    if (!collecting.compareAndSet(false, true)) {
      return false;
    }
    try {
      for (Claims each = take(); each != null; each = take()) {
        if (each == asking) {
          each.unlisted();
        } else if (!each.trySettleFor(asking)) {
          add(each);
          return false;
        }
      }
      return true;
    } finally {
      collecting.set(false);
    }
  }

  /** The same for all that are not in use, so that none stays here that ends. */
  public void sweep() {
    if (!collecting.compareAndSet(false, true)) {
      return;
    }
    try {
      Claims each = newest.getAndSet(null);
      while (each != null) {
        Claims older = each.olderListed;
        each.olderListed = null;
        if (!each.trySettleFor(null)) {
          add(each);
        }
        each = older;
      }
    } finally {
      collecting.set(false);
    }
  }

  /** Takes the newest; null if there is none. */
  private @Nullable Claims take() {
    Claims first;
    do {
      first = newest.get();
    } while (first != null && !newest.compareAndSet(first, first.olderListed));
    if (first != null) {
      first.olderListed = null;
    }
    return first;
  }
}
