package org.vramkit.tools.trace;

import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A dictionary of a pickle, compact because a file may contain millions with few keys each. */
final class PickleDict {
  /** Room for the keys and values of a trace entry. */
  private static final int FIRST = 20;

  private static final Object[] EMPTY = {};
  private static final Object[] SEALED = {};

  // Keys at even indexes, each followed by its value.
  private Object[] pairs = EMPTY;
  private int used;
  private boolean taken;

  /** Drops the contents, which {@link PickleEntries} has stored. */
  void seal() {
    pairs = SEALED;
    used = 0;
  }

  @SuppressWarnings("ReferenceEquality") // only this array marks sealed dictionaries
  boolean isSealed() {
    return pairs == SEALED;
  }

  void put(Object key, Object value) {
    if (used == pairs.length) {
      pairs = Arrays.copyOf(pairs, pairs.length == 0 ? FIRST : used * 2);
    }
    pairs[used++] = key;
    pairs[used++] = value;
  }

  /**
   * Returns true on the first call only, by which callers detect a dictionary that is used twice.
   */
  boolean take() {
    boolean first = !taken;
    taken = true;
    return first;
  }

  /** Passes each key and value to {@code sink}, in insertion order. */
  void forEach(BiConsumer<Object, Object> sink) {
    for (int i = 0; i < used; i += 2) {
      sink.accept(pairs[i], pairs[i + 1]);
    }
  }

  /** Returns the last value of a key, or null. */
  @Nullable Object get(String key) {
    for (int i = used - 2; i >= 0; i -= 2) {
      if (key.equals(pairs[i])) {
        return pairs[i + 1];
      }
    }
    return null;
  }
}
