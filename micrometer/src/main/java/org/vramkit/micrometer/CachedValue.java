package org.vramkit.micrometer;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches an expensive value for 0.1 seconds, because a scrape reads a dozen statistics of one
 * snapshot. Safe for any thread.
 */
final class CachedValue<T> {
  private static final long KEPT_NANOS = 100_000_000;

  private final Supplier<@Nullable T> source;
  private final Supplier<Long> clock;
  private @Nullable T value;
  private boolean read;
  private long readAt;

  /**
   * Creates an empty cache.
   *
   * @param clock a monotonic clock in nanoseconds
   */
  CachedValue(Supplier<@Nullable T> source, Supplier<Long> clock) {
    this.source = source;
    this.clock = clock;
  }

  /** Returns a value of the source that is at most 0.1 seconds old. */
  synchronized @Nullable T get() {
    long now = clock.get();
    if (!read || now - readAt >= KEPT_NANOS) {
      value = source.get();
      readAt = now;
      read = true;
    }
    return value;
  }
}
