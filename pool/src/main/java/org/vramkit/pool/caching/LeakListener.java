package org.vramkit.pool.caching;

/** Hears of leaks, as a test does that is to fail on them. */
@FunctionalInterface
public interface LeakListener {
  /** Hears nothing. */
  LeakListener NONE = leak -> {};

  /**
   * A handle was dropped without a close, or has been held for long. Called by a thread that
   * allocates, with no lock held, before it has its block or after; what this throws is logged.
   */
  void leaked(LeakReport leak);
}
