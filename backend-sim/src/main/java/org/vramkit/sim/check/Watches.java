package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watched ranges, which may overlap each other. Those that overlap a range are found without a look
 * at the others: ranges are kept apart by the power of two below their length, so that of each
 * length only those are looked at that begin at most twice that length below.
 */
final class Watches<W extends WatchedBytes> {
  /** Estimated memory of a watched range in addition to its content. */
  private static final long OVERHEAD_BYTES = 1024;

  private static final Comparator<PinnedRange> BY_ADDRESS =
      Comparator.comparingLong(PinnedRange::start).thenComparingLong(PinnedRange::end);

  /** Ranges by address, for each number of bits in their length. */
  private final TreeMap<Integer, NavigableMap<PinnedRange, W>> byLength = new TreeMap<>();

  private final Set<W> oldestFirst = new LinkedHashSet<>();
  private final Consumer<W> removed;
  private final long limit;
  private long kept;

  /**
   * Creates an empty set that passes each range it drops to {@code removed}; beyond the limit of
   * bytes, the oldest ranges are compared and dropped.
   */
  Watches(long limit, Consumer<W> removed) {
    this.limit = limit;
    this.removed = removed;
  }

  @Nullable W get(PinnedRange range) {
    NavigableMap<PinnedRange, W> same = byLength.get(lengthOf(range));
    return same == null ? null : same.get(range);
  }

  private static int lengthOf(PinnedRange range) {
    return Long.SIZE - Long.numberOfLeadingZeros(range.end() - range.start());
  }

  /**
   * Adds a range, which replaces an equal one; does nothing if it alone exceeds the limit. Its
   * content is copied only once there is room for it. Returns the range; null if it is too large.
   */
  @Nullable W add(PinnedRange range, Supplier<W> copy) {
    W equal = get(range);
    if (equal != null) {
      remove(equal);
    }
    long added = bytesOf(range);
    if (added > limit) {
      return null;
    }
    while (kept + added > limit) {
      W oldest = oldestFirst.iterator().next();
      remove(oldest);
      oldest.isChanged();
    }
    W watched = copy.get();
    byLength
        .computeIfAbsent(lengthOf(range), length -> new TreeMap<>(BY_ADDRESS))
        .put(range, watched);
    oldestFirst.add(watched);
    kept += added;
    return watched;
  }

  private static long bytesOf(PinnedRange range) {
    return range.end() - range.start() + OVERHEAD_BYTES;
  }

  /** Drops a range; does nothing if it was dropped before. */
  void remove(W watched) {
    if (oldestFirst.remove(watched)) {
      int length = lengthOf(watched.range);
      NavigableMap<PinnedRange, W> same = byLength.get(length);
      if (same != null) {
        same.remove(watched.range);
        if (same.isEmpty()) {
          byLength.remove(length);
        }
      }
      kept -= bytesOf(watched.range);
      removed.accept(watched);
    }
  }

  /** Returns the ranges that overlap the given one. */
  List<W> overlapping(long start, long end) {
    List<W> found = new ArrayList<>(0);
    byLength.forEach(
        (length, ranges) -> {
          long longest = (1L << length) - 1;
          PinnedRange lowest = at(Math.max(Long.MIN_VALUE + longest, start) - longest);
          for (W each : ranges.subMap(lowest, at(Math.max(end, lowest.start()))).values()) {
            if (each.range.end() > start) {
              found.add(each);
            }
          }
        });
    return found;
  }

  private static PinnedRange at(long start) {
    return new PinnedRange(0, 0, 0, start, start);
  }

  /** Returns all ranges, the oldest first. */
  List<W> all() {
    return List.copyOf(oldestFirst);
  }

  /** Reports and drops the changed ones of some ranges. */
  void compare(List<W> some) {
    for (W each : some) {
      if (each.isChanged()) {
        remove(each);
      }
    }
  }

  /** Drops the ranges that overlap the given one. */
  void forget(long start, long end) {
    overlapping(start, end).forEach(this::remove);
  }

  /** Reports the changed ranges that overlap the given one, and drops all that overlap it. */
  void compareLast(long start, long end) {
    List<W> last = overlapping(start, end);
    compare(last);
    last.forEach(this::remove);
  }

  /** Performs a write by work on a device, which does not count as a change by the host. */
  void written(long start, long end, Runnable write) {
    for (W each : overlapping(start, end)) {
      if (each.isChanged(start, end)) {
        remove(each);
      }
    }
    write.run();
    overlapping(start, end).forEach(each -> each.expectAsItIs(start, end));
  }
}
