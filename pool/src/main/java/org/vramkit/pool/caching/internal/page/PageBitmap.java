package org.vramkit.pool.caching.internal.page;

import java.util.Arrays;

/**
 * A set of page numbers, with operations on ranges a word at a time. Guarded by the heap's lock.
 */
public final class PageBitmap {
  /** As long as pages were prepared; what lies behind is not in the set. */
  private long[] words = {};

  private int count;

  /** Makes room for pages below one. */
  public void prepare(int pages) {
    if (pages > words.length << 6) {
      words = Arrays.copyOf(words, (pages + 63) >>> 6);
    }
  }

  public int count() {
    return count;
  }

  public boolean get(int page) {
    int w = page >>> 6;
    return w < words.length && (words[w] & (1L << page)) != 0;
  }

  /** Adds {@code [from, to)}, for which there is room. */
  public void set(int from, int to) {
    for (int w = from >>> 6; w << 6 < to; w++) {
      long added = mask(w, from, to) & ~words[w];
      words[w] |= added;
      count += Long.bitCount(added);
    }
  }

  /** How many pages of {@code [from, to)} are in the set. */
  public int count(int from, int to) {
    int sum = 0;
    for (int w = from >>> 6; w << 6 < to && w < words.length; w++) {
      sum += Long.bitCount(words[w] & mask(w, from, to));
    }
    return sum;
  }

  /** Adds those pages of {@code [from, to)} that are in the other set, which has as much room. */
  void addAll(PageBitmap other, int from, int to) {
    for (int w = from >>> 6; w << 6 < to && w < other.words.length; w++) {
      long added = other.words[w] & mask(w, from, to) & ~words[w];
      words[w] |= added;
      count += Long.bitCount(added);
    }
  }

  /** Removes {@code [from, to)}. */
  public void clear(int from, int to) {
    for (int w = from >>> 6; w << 6 < to && w < words.length; w++) {
      long removed = words[w] & mask(w, from, to);
      words[w] ^= removed;
      count -= Long.bitCount(removed);
    }
  }

  /** The highest page of the set that is at most {@code page}, or -1. */
  public int previous(int page) {
    int last = Math.min(page, (words.length << 6) - 1);
    if (last < 0) {
      return -1;
    }
    int w = last >>> 6;
    long word = words[w] & (-1L >>> (63 - (last & 63)));
    while (word == 0) {
      if (--w < 0) {
        return -1;
      }
      word = words[w];
    }
    return (w << 6) + 63 - Long.numberOfLeadingZeros(word);
  }

  /** The lowest page of the set in {@code [from, to)}, or {@code to}. */
  int next(int from, int to) {
    return nextOf(0, from, to);
  }

  /** The lowest page of {@code [from, to)} that is not in the set, or {@code to}. */
  int nextAbsent(int from, int to) {
    return nextOf(-1L, from, to);
  }

  /** The lowest page whose bit, turned by a mask, is set. */
  private int nextOf(long turned, int from, int to) {
    for (int w = from >>> 6; w << 6 < to; w++) {
      long word = (w < words.length ? words[w] : 0) ^ turned;
      if (w == from >>> 6) {
        word &= -1L << from;
      }
      if (word != 0) {
        return Math.min(to, (w << 6) + Long.numberOfTrailingZeros(word));
      }
    }
    return Math.max(from, to);
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
