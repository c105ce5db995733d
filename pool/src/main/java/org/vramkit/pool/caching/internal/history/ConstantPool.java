package org.vramkit.pool.caching.internal.history;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Numbers the values that many events share, such as tags and stacks, so that events contain only
 * the numbers. A number is never reused. Thread-safe.
 */
final class ConstantPool<T> {
  /** The largest count of numbers. Values beyond it share one number. */
  static final int MOST = 1 << 16;

  private static final int OTHERS = 1;

  private final Map<T, Integer> numbers = new ConcurrentHashMap<>();
  private final Map<Integer, T> names = new ConcurrentHashMap<>();

  /**
   * Creates a pool with two values.
   *
   * @param none the value with number 0
   * @param others the value that stands for all values without a number of their own
   */
  ConstantPool(T none, T others) {
    names.put(0, none);
    names.put(OTHERS, others);
    numbers.put(none, 0);
  }

  int numberOf(T name) {
    Integer known = numbers.get(name);
    if (known != null) {
      return known;
    }
    return names.size() < MOST ? learn(name) : OTHERS;
  }

  private synchronized int learn(T name) {
    int next = names.size();
    if (next < MOST && !numbers.containsKey(name)) {
      names.put(next, name);
      numbers.put(name, next);
    }
    return numbers.getOrDefault(name, OTHERS);
  }

  T nameOf(int number) {
    return Objects.requireNonNull(names.get(number));
  }
}
