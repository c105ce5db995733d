package org.vramkit.pool.caching.internal.history;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for what many events have in common. A number once given stays, so events need only that.
 * Safe for any thread.
 *
 * @param <T> compared by equality
 */
final class Names<T> {
  /** As many as there may be; whatever comes later shares a number. */
  static final int MOST = 1 << 16;

  private static final int OTHERS = 1;

  private final T none;
  private final Map<T, Integer> numbers = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<@Nullable T> names = new AtomicReferenceArray<>(MOST);
  private final AtomicInteger next = new AtomicInteger(OTHERS + 1);

  /**
   * Two numbers are given.
   *
   * @param none has number 0
   * @param others stands for all that there is no number for
   */
  Names(T none, T others) {
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
