package org.vramkit.pool.caching.internal.leak;

import org.jspecify.annotations.Nullable;

/**
 * Watches by age, to find what is held for long. Guarded by its own monitor, a leaf; not used where
 * nobody asks for that.
 */
final class HeldWatches {
  private final long mostNanos;
  private @Nullable LeakWatch oldest;
  private @Nullable LeakWatch newest;

  /**
   * None.
   *
   * @param mostNanos how long is not too long
   */
  HeldWatches(long mostNanos) {
    this.mostNanos = mostNanos;
  }

  synchronized void add(LeakWatch watch) {
    if (!watch.ended) {
      watch.older = newest;
      if (newest == null) {
        oldest = watch;
      } else {
        newest.newer = watch;
      }
      newest = watch;
      watch.listed = true;
    }
  }

  /** For good. */
  synchronized void remove(LeakWatch watch) {
    watch.ended = true;
    if (watch.listed) {
      unlink(watch);
    }
  }

  private void unlink(LeakWatch watch) {
    LeakWatch before = watch.older;
    LeakWatch after = watch.newer;
    if (before == null) {
      oldest = after;
    } else {
      before.newer = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.older = before;
    }
    watch.older = null;
    watch.newer = null;
    watch.listed = false;
  }

  /** Takes the oldest out that has been held for too long by now; null if there is none. */
  synchronized @Nullable LeakWatch takeTooLong(long now) {
    LeakWatch first = oldest;
    if (first == null || now - first.since <= mostNanos) {
      return null;
    }
    unlink(first);
    return first;
  }
}
