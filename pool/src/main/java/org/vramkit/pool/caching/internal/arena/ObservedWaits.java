package org.vramkit.pool.caching.internal.arena;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.event.PoolObserver;

/**
 * Waits on the host, and has the observer hear of it.
 *
 * @param observer of all pools
 */
record ObservedWaits(PoolObserver observer) {
  /**
   * Does what waits.
   *
   * @param stream that is waited for; null for something else
   */
  boolean of(@Nullable Stream stream, BooleanSupplier wait) {
    PoolObserver.Span span = observer.begin(PoolObserver.Work.WAIT, stream);
    try {
      return wait.getAsBoolean();
    } finally {
      span.end(0, 0);
    }
  }

  void of(@Nullable Stream stream, Runnable wait) {
    PoolObserver.Span span = observer.begin(PoolObserver.Work.WAIT, stream);
    try {
      wait.run();
    } finally {
      span.end(0, 0);
    }
  }
}
