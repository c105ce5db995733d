package org.vramkit.pressure;

import java.util.Map;
import java.util.TreeMap;

/**
 * Allocates ranges of one storage level of a spill store by first fit, and merges adjacent free
 * ranges. Not thread-safe.
 */
final class Room {
  /** The result if no free range is large enough. */
  static final long NONE = -1;

  /** Lengths of the free ranges in bytes, by first offset. */
  private final TreeMap<Long, Long> free = new TreeMap<>();

  Room(long bytes) {
    if (bytes > 0) {
      free.put(0L, bytes);
    }
  }

  long take(long bytes) {
    Map.Entry<Long, Long> fitting = null;
    for (Map.Entry<Long, Long> range : free.entrySet()) {
      if (range.getValue() >= bytes) {
        fitting = range;
        break;
      }
    }
    if (fitting == null) {
      return NONE;
    }
    long begin = fitting.getKey();
    long rest = fitting.getValue() - bytes;
    free.remove(begin);
    if (rest > 0) {
      free.put(begin + bytes, rest);
    }
    return begin;
  }

  void giveBack(long begin, long bytes) {
    long first = begin;
    long length = bytes;
    Map.Entry<Long, Long> before = free.floorEntry(begin);
    if (before != null && before.getKey() + before.getValue() == begin) {
      first = before.getKey();
      length += before.getValue();
    }
    Long after = free.remove(begin + bytes);
    free.put(first, after == null ? length : length + after);
  }
}
