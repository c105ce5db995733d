package org.vramkit.tools.trace;

import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A dictionary of a pickle: few keys each, and millions of them. */
final class PickleDict {
  private static final Object[] EMPTY = {};
  private static final Object[] SEALED = {};

  // Keys at even places, values behind them.
  private Object[] pairs = EMPTY;
  // How many places; once it is sealed, the number of the entry that it was.
  private int used;
  private boolean taken;

  /** Gives up what it holds, which is an entry of this number elsewhere. */
  void seal(int entry) {
    pairs = SEALED;
    used = entry;
  }

  @SuppressWarnings("ReferenceEquality") // another empty array is not the mark
  boolean isSealed() {
    return pairs == SEALED;
  }

  /** The number of the entry that it was. */
  int getEntry() {
    return used;
  }

  void put(Object key, Object value) {
    if (used == pairs.length) {
      pairs = Arrays.copyOf(pairs, pairs.length == 0 ? 16 : used * 2);
    }
    pairs[used++] = key;
    pairs[used++] = value;
  }

  /** Returns true at its first call, so that each dictionary is taken once. */
  boolean take() {
    boolean first = !taken;
    taken = true;
    return first;
  }

  /** Tells every key with its value, in the order in which they were put. */
  void forEach(BiConsumer<Object, Object> sink) {
    for (int i = 0; i < used && !isSealed(); i += 2) {
      sink.accept(pairs[i], pairs[i + 1]);
    }
  }

  /** The value that was put last under a key. */
  @Nullable Object get(String key) {
    if (isSealed()) {
      return null;
    }
    for (int i = used - 2; i >= 0; i -= 2) {
      if (key.equals(pairs[i])) {
        return pairs[i + 1];
      }
    }
    return null;
  }
}
