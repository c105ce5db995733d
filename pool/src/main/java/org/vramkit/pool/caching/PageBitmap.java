package org.vramkit.pool.caching;

/**
 * A set of page numbers, with operations on ranges a word at a time. Guarded by the heap's lock.
 */
final class PageBitmap {
  private final long[] words;
  private int count;

  PageBitmap(int pages) {
    this.words = new long[(pages + 63) >>> 6];
  }

  int count() {
    return count;
  }

  boolean get(int page) {
    return (words[page >>> 6] & (1L << page)) != 0;
  }

  /** Adds {@code [from, to)}. */
  void set(int from, int to) {
    for (int w = from >>> 6; w << 6 < to; w++) {
      long added = mask(w, from, to) & ~words[w];
      words[w] |= added;
      count += Long.bitCount(added);
    }
  }

  /** How many pages of {@code [from, to)} are in the set. */
  int count(int from, int to) {
    int sum = 0;
    for (int w = from >>> 6; w << 6 < to; w++) {
      sum += Long.bitCount(words[w] & mask(w, from, to));
    }
    return sum;
  }

  /** Adds those pages of {@code [from, to)} that are in the other set. */
  void addAll(PageBitmap other, int from, int to) {
    for (int w = from >>> 6; w << 6 < to; w++) {
      long added = other.words[w] & mask(w, from, to) & ~words[w];
      words[w] |= added;
      count += Long.bitCount(added);
    }
  }

  /** Removes {@code [from, to)}. */
  void clear(int from, int to) {
    for (int w = from >>> 6; w << 6 < to; w++) {
      long removed = words[w] & mask(w, from, to);
      words[w] ^= removed;
      count -= Long.bitCount(removed);
    }
  }

  /** The highest page of the set that is at most {@code page}, or -1. */
  int previous(int page) {
    if (page < 0) {
      return -1;
    }
    int w = page >>> 6;
    long word = words[w] & (-1L >>> (63 - (page & 63)));
    while (word == 0) {
      if (--w < 0) {
        return -1;
      }
      word = words[w];
    }
    return (w << 6) + 63 - Long.numberOfLeadingZeros(word);
  }

  private static long mask(int word, int from, int to) {
    long mask = -1L;
    if (word == from >>> 6) {
      mask <<= from;
    }
    if (word == to >>> 6) {
      mask &= (1L << to) - 1;
    }
    return mask;
  }
}
