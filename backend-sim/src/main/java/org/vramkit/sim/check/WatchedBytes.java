package org.vramkit.sim.check;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A range of page-locked memory and its expected content, which the host must not change. */
abstract class WatchedBytes {
  /** Estimated memory of a watched range in addition to its content. */
  private static final long OVERHEAD_BYTES = 1024;

  final PinnedRange range;
  private final ByteBuffer content;
  private final byte[] expected;

  WatchedBytes(PinnedRange range, ByteBuffer content) {
    this.range = range;
    this.content = content.slice();
    this.expected = new byte[content.remaining()];
    expectAsItIs();
  }

  final void expectAsItIs() {
    content.get(0, expected);
  }

  final boolean overlaps(long start, long end) {
    return range.start() < end && start < range.end();
  }

  /** Returns whether the host has written the range, and reports it. */
  boolean isChanged() {
    int first = content.mismatch(ByteBuffer.wrap(expected));
    if (first >= 0) {
      report(first);
    }
    return first >= 0;
  }

  /** Reports a change, given the index of the first changed byte. */
  abstract void report(int first);

  /** Returns the index after a run of changed bytes. */
  final int endOfChange(int first) {
    int end = first + 1;
    while (end < expected.length && content.get(end) != expected[end]) {
      end++;
    }
    return end;
  }

  /** Watched ranges, the oldest first. */
  static final class Watches<W extends WatchedBytes> {
    private final Map<PinnedRange, W> byRange = new LinkedHashMap<>();
    private final long limit;
    private long kept;

    /**
     * Creates an empty set; beyond the limit of bytes, the oldest ranges are compared and dropped.
     */
    Watches(long limit) {
      this.limit = limit;
    }

    @Nullable W get(PinnedRange range) {
      return byRange.get(range);
    }

    /**
     * Adds a range, which replaces an equal one; does nothing if it alone exceeds the limit. Its
     * content is copied only once there is room for it.
     */
    void add(PinnedRange range, Supplier<W> copy) {
      removeIf(other -> other.range.equals(range));
      long added = bytesOf(range);
      if (added > limit) {
        return;
      }
      for (Iterator<W> it = byRange.values().iterator(); kept + added > limit; ) {
        W oldest = it.next();
        it.remove();
        kept -= bytesOf(oldest.range);
        oldest.isChanged();
      }
      byRange.put(range, copy.get());
      kept += added;
    }

    private static long bytesOf(PinnedRange range) {
      return range.end() - range.start() + OVERHEAD_BYTES;
    }

    void removeIf(Predicate<W> over) {
      for (Iterator<W> it = byRange.values().iterator(); it.hasNext(); ) {
        W watched = it.next();
        if (over.test(watched)) {
          it.remove();
          kept -= bytesOf(watched.range);
        }
      }
    }

    /** Drops the ranges that overlap the given one. */
    void forget(long start, long end) {
      removeIf(watched -> watched.overlaps(start, end));
    }

    /** Reports and drops the changed ranges that overlap the given one. */
    void compare(long start, long end) {
      removeIf(watched -> watched.overlaps(start, end) && watched.isChanged());
    }

    /** Reports the changed ranges that overlap the given one, and drops all that overlap it. */
    void compareLast(long start, long end) {
      compare(start, end);
      forget(start, end);
    }

    /** Performs a write by work on a device, which does not count as a change by the host. */
    void written(long start, long end, Runnable write) {
      compare(start, end);
      write.run();
      for (W watched : byRange.values()) {
        if (watched.overlaps(start, end)) {
          watched.expectAsItIs();
        }
      }
    }
  }
}
