package org.vramkit.micrometer;

import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the statistics of one subject at most ten times a second, because a scrape reads dozens of
 * figures. Safe for any thread.
 */
final class CachedReader<T, S> implements Function<T, S> {
  private static final long KEPT_NANOS = 100_000_000;

  private final Function<T, S> source;
  private final LongSupplier clock;
  private @Nullable S value;
  private long readAt;

  /**
   * Creates a reader that has read nothing.
   *
   * @param clock a monotonic clock in nanoseconds
   */
  CachedReader(Function<T, S> source, LongSupplier clock) {
    this.source = source;
    this.clock = clock;
  }

  @Override
  public synchronized S apply(T subject) {
    long now = clock.getAsLong();
    S known = value;
    if (known == null || now - readAt >= KEPT_NANOS) {
      known = source.apply(subject);
      value = known;
      readAt = now;
    }
    return known;
  }
}
