package org.vramkit.micrometer;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is costly to read, kept for a moment: a scrape asks for a dozen figures of one
 * reading. Safe for any thread.
 */
final class FreshValue<T> {
  private static final long KEPT_NANOS = 100_000_000;

  private final Supplier<@Nullable T> source;
  private final Supplier<Long> clock;
  private @Nullable T value;
  private boolean read;
  private long readAt;

  /**
   * Nothing is read yet.
   *
   * @param clock nanoseconds that only grow
   */
  FreshValue(Supplier<@Nullable T> source, Supplier<Long> clock) {
    this.source = source;
    this.clock = clock;
  }

  /** Returns a value of the source that is at most a tenth of a second old. */
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
