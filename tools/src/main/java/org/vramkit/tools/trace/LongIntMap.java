package org.vramkit.tools.trace;

/** A map from {@code long} to a number from 0 up, without objects: open addressing. */
final class LongIntMap {
  private long[] keys = new long[16];
  // One more than the value, so that 0 marks a free place.
  private int[] values = new int[16];
  private int size;

  int size() {
    return size;
  }

  /** The value, or -1. */
  int get(long key) {
    return values[find(key)] - 1;
  }

  /** Sets the value of a key. */
  void put(long key, int value) {
    int at = find(key);
    if (values[at] == 0) {
      size++;
    }
    keys[at] = key;
    values[at] = value + 1;
    if (size * 2 > keys.length) {
      grow();
    }
  }

  /** Removes a key and answers its value, or -1. */
  int remove(long key) {
    int hole = find(key);
    int value = values[hole] - 1;
    if (value < 0) {
      return -1;
    }
    size--;
    int mask = keys.length - 1;
    // Entries behind the hole move up when the hole lies on their way from home.
    for (int at = (hole + 1) & mask; values[at] != 0; at = (at + 1) & mask) {
      int home = home(keys[at], mask);
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        keys[hole] = keys[at];
        values[hole] = values[at];
        hole = at;
      }
    }
    values[hole] = 0;
    return value;
  }

  private int find(long key) {
    int mask = keys.length - 1;
    int at = home(key, mask);
    while (values[at] != 0 && keys[at] != key) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private static int home(long key, int mask) {
    // Fibonacci hashing: addresses differ in their middle bits.
    return (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & mask;
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldValues = values;
    keys = new long[oldKeys.length * 2];
    values = new int[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldValues[i] != 0) {
        int at = find(oldKeys[i]);
        keys[at] = oldKeys[i];
        values[at] = oldValues[i];
      }
    }
  }
}
