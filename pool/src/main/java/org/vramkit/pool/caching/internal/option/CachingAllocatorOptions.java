package org.vramkit.pool.caching.internal.option;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The values of the options of a caching allocator. Immutable. */
public final class CachingAllocatorOptions {
  public static final CachingAllocatorOptions DEFAULT = new CachingAllocatorOptions(Map.of());

  private final Map<Option<?>, Object> values;

  private CachingAllocatorOptions(Map<Option<?>, Object> values) {
    this.values = values;
  }

  @SuppressWarnings("unchecked") // only "with" adds values
  public <T> T get(Option<T> option) {
    return (T) values.getOrDefault(option, Objects.requireNonNull(option.defaultValue));
  }

  /**
   * Returns these options with another value of one of them.
   *
   * @throws org.vramkit.api.error.InvalidArgumentException if the value is out of range
   */
  public <T> CachingAllocatorOptions with(Option<T> option, T value) {
    Map<Option<?>, Object> more = new HashMap<>(values);
    more.put(option, Objects.requireNonNull(OptionRange.require(option, value)));
    return new CachingAllocatorOptions(more);
  }

  public boolean isDefault(Option<?> option) {
    return get(option).equals(option.defaultValue);
  }
}
