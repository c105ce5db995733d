package org.vramkit.pool.caching.internal.history;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the values that many events share, such as tags and stacks, so that events contain only
 * the numbers. A number is never reused. Thread-safe.
 */
final class ConstantPool<T> {
  /** The largest count of numbers. Values beyond it share one number. */
  static final int MOST = 1 << 16;

  private static final int OTHERS = 1;

  private final T none;
  private final Map<T, Integer> numbers = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<@Nullable T> names = new AtomicReferenceArray<>(MOST);
  private final AtomicInteger next = new AtomicInteger(OTHERS + 1);

  /**
   * Creates a pool with two values.
   *
   * @param none the value with number 0
   * @param others the value that stands for all values without a number of their own
   */
  ConstantPool(T none, T others) {
    this.none = none;
    names.set(0, none);
    names.set(OTHERS, others);
    numbers.put(none, 0);
  }

  int numberOf(T name) {
    Integer known = numbers.get(name);
    return known != null ? known : learn(name);
  }

  private int learn(T name) {
    return next.get() >= MOST
        ? OTHERS
        : numbers.computeIfAbsent(
            name,
            added -> {
              int number = next.getAndIncrement();
              if (number >= MOST) {
                return OTHERS;
              }
              names.set(number, added);
              return number;
            });
  }

  T nameOf(int number) {
    T name = names.get(number);
    return name == null ? none : name;
  }
}
