package org.vramkit.api.allocator;

import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * A figure of some statistics, for programs that show all of them, such as exporters. See {@link
 * AllocatorStatistics#getMetrics}.
 *
 * @param name lower-case words, such as {@code free blocks}
 * @param unit the unit of the value
 * @param kind how the value changes
 * @param text what the figure counts, in one line
 * @param value reads the value
 * @param count reads the number of measured times of a {@link Kind#TIMER}; 0 for other kinds
 */
public record Metric<S>(
    String name,
    Unit unit,
    Kind kind,
    String text,
    ToLongFunction<S> value,
    ToLongFunction<S> count) {

  /** The unit of a value. */
  public enum Unit {
    /** A number of things. */
    COUNT,
    /** Bytes. */
    BYTES,
    /** Nanoseconds. */
    NANOSECONDS
  }

  /** How a value changes. */
  public enum Kind {
    /** Rises and falls; its peak and the sums of its changes are known. */
    GAUGE,
    /** Rises and falls; only the current value is known. */
    LEVEL,
    /** Only rises, until statistics are reset. */
    COUNTER,
    /** A counter of nanoseconds, with the number of measured times. */
    TIMER
  }

  /** Requires all values. */
  public Metric {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(unit, "unit");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(count, "count");
  }

  /** Creates a metric that is no timer. */
  public Metric(String name, Unit unit, Kind kind, String text, ToLongFunction<S> value) {
    this(name, unit, kind, text, value, statistics -> 0);
  }

  /** Returns the same metric of statistics that are a part of others. */
  public <T> Metric<T> of(Function<T, S> part) {
    return new Metric<>(
        name,
        unit,
        kind,
        text,
        each -> value.applyAsLong(part.apply(each)),
        each -> count.applyAsLong(part.apply(each)));
  }

  /** Returns the name as an identifier, such as {@code freeBlocks}. */
  public String key() {
    return keyOf(name);
  }

  /** Returns words as an identifier. */
  public static String keyOf(String words) {
    StringBuilder key = new StringBuilder();
    for (String word : words.split(" ", -1)) {
      key.append(
          key.length() == 0
              ? word
              : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
    }
    return key.toString();
  }
}
