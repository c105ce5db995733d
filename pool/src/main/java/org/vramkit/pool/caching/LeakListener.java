package org.vramkit.pool.caching;

/** Receives leaks, for example to fail a test. */
@FunctionalInterface
public interface LeakListener {
  /** Ignores leaks. */
  LeakListener NONE = leak -> {};

  /**
   * Called when a handle was dropped without a close. An allocating thread makes this call, without
   * holding a lock. Exceptions of the listener are logged.
   */
  void leaked(LeakReport leak);
}
