package org.vramkit.tools.trace;

import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A dictionary of a pickle, compact because a file may contain millions with few keys each. */
final class PickleDict {
  /** No frame, or one whose number is not known yet. */
  static final int NO_FRAME = -1;

  private static final Object[] EMPTY = {};
  private static final Object[] SEALED = {};

  // Keys at even indexes, each followed by its value.
  private Object[] pairs = EMPTY;
  private int used;
  private int frame = NO_FRAME;
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
    putAll(new Object[] {key, value}, 0, 2);
  }

  /** Adds keys, each followed by its value, from a range of an array. */
  void putAll(Object[] source, int from, int to) {
    int count = to - from;
    if (used == 0) {
      // Most dictionaries are filled once, and need no room beyond that.
      pairs = Arrays.copyOfRange(source, from, to);
    } else {
      if (used + count > pairs.length) {
        pairs = Arrays.copyOf(pairs, Math.max(used + count, used * 2));
      }
      System.arraycopy(source, from, pairs, used, count);
    }
    used += count;
  }

  /** Returns the number of keys and values. */
  int getLength() {
    return used;
  }

  /** Returns a key at an even index, and its value at the next. */
  Object at(int index) {
    return pairs[index];
  }

  /** Returns the number of the frame that these contents are, or {@link #NO_FRAME}. */
  int getFrame() {
    return frame;
  }

  void setFrame(int number) {
    frame = number;
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
