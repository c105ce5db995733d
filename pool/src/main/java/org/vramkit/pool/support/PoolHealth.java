package org.vramkit.pool.support;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a pool is intact. An error of the JVM, such as a stack overflow, in the middle of a
 * call may leave the pool's state half changed and its locks held, so it breaks the pool: every
 * later call throws the error of {@link #broken}, and the close returns the memory that is still
 * known.
 *
 * <p>The outermost method of the pool catches the error and writes the fields itself, because no
 * stack may be left for a call. An error of a user's code is the user's, see {@link UserError}.
 */
public final class PoolHealth {
  private final String name;

  /** The error that broke the pool; null while it is intact. */
  public volatile @Nullable Error brokenBy;

  /**
   * True if no call may take the shortest path, which looks only at this field: the pool is broken,
   * or its owner wants more of each call.
   */
  public volatile boolean slowPath;

  /**
   * True if a capture is in progress on any device, so that calls to the driver are made in relaxed
   * capture mode.
   */
  public volatile boolean relaxes;

  /**
   * Creates the health of an intact pool.
   *
   * @param name the name of the pool in messages
   */
  public PoolHealth(String name) {
    this.name = name;
  }

  public boolean isBroken() {
    return brokenBy != null;
  }

  /**
   * Refuses a call to a broken pool.
   *
   * @throws IllegalStateException if the pool is broken
   */
  public void requireIntact() {
    if (isBroken()) {
      throw broken();
    }
  }

  public IllegalStateException broken() {
    return new IllegalStateException(
        name
            + " is broken: an error of the JVM interrupted a call, so its state is unclear; close"
            + " everything acquired from it, then close it, and create a new one",
        brokenBy);
  }

  /** Performs a call that changes the pool, and breaks the pool if an error interrupts the call. */
  public <T extends @Nullable Object> T change(Supplier<T> call) {
    try {
      return call.get();
    } catch (UserError e) {
      throw e.unwrap();
    } catch (Error e) {
      slowPath = true;
      brokenBy = e;
      throw e;
    }
  }

  public void run(Runnable call) {
    var unused =
        change(
            () -> {
              call.run();
              return call;
            });
  }

  /**
   * Performs a call that only reads the pool. A stack overflow may leave a lock held and so breaks
   * the pool; any other error leaves the pool intact.
   */
  public <T extends @Nullable Object> T read(Supplier<T> call) {
    try {
      return call.get();
    } catch (StackOverflowError e) {
      slowPath = true;
      brokenBy = e;
      throw e;
    }
  }
}
