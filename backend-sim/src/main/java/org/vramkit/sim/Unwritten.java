package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.vramkit.sim.check.HostWrites.HostChange;
import org.vramkit.sim.memory.RangeMap;
import org.vramkit.sim.memory.RangeMap.Range;

/**
 * The unwritten bytes of a page-locked buffer. A new buffer is filled with a pattern that programs
 * are unlikely to write, so that writes through views can be detected.
 */
final class Unwritten {
  private static final int CHUNK = 8192;

  /** Minimum run of pattern bytes between two writes that counts as unwritten. */
  private static final int FEWEST = 8;

  /**
   * Minimum run at an end of the examined bytes. Shorter than {@link #FEWEST}, because a part has
   * only two ends, while random data may contain a short run of the pattern anywhere.
   */
  private static final int FEWEST_AT_END = 4;

  private static final byte[] PATTERN = {-35, 77, -90, 19, -20, 101, -70, 41};

  private final ByteBuffer content;
  private final HostChange change;

  /** The parts of the buffer that still hold the pattern, by offsets. */
  private final RangeMap<Boolean> parts = new RangeMap<>();

  private Unwritten(ByteBuffer content, HostChange change) {
    this.content = content;
    this.change = change;
  }

  /** Creates an instance without unwritten bytes. */
  static Unwritten none() {
    return new Unwritten(ByteBuffer.allocate(0), (offset, bytes) -> {});
  }

  /** Fills new bytes; {@code change} receives the offsets of detected writes. */
  static Unwritten all(ByteBuffer content, HostChange change) {
    byte[] chunk = new byte[Math.min(CHUNK, content.capacity())];
    for (int i = 0; i < chunk.length; i++) {
      chunk[i] = PATTERN[i % PATTERN.length];
    }
    for (int at = 0; at < content.capacity(); at += chunk.length) {
      content.put(at, chunk, 0, Math.min(chunk.length, content.capacity() - at));
    }
    Unwritten all = new Unwritten(content, change);
    all.parts.put(0, content.capacity(), true);
    return all;
  }

  boolean isEmpty() {
    return parts.isEmpty();
  }

  /** Removes a range that was written, or will be, by a known access. */
  void remove(long start, long end) {
    parts.remove(start, end);
  }

  /**
   * Returns the parts of a range that still hold the pattern, and reports the bytes between them as
   * written. A short run of the pattern may be data: between two writes it counts as written; at an
   * end of the examined bytes it is left out, and may be a part of a longer run in a later call.
   */
  List<Range<Boolean>> in(int start, int end) {
    List<Range<Boolean>> found = new ArrayList<>(0);
    for (Range<Boolean> part : parts.in(start, end)) {
      parts.remove(part.start(), part.end());
      findRuns((int) part.start(), (int) part.end(), found);
    }
    return found;
  }

  /** Searches a part for runs of the pattern; each round passes at least one byte. */
  private void findRuns(int start, int end, List<Range<Boolean>> found) {
    int written = start;
    int next;
    for (int at = start; at < end; at = next + 1) {
      next = endOfPattern(at, end);
      int run = next - at;
      boolean atEnd = at == start || next == end;
      if (run >= FEWEST || (atEnd && run > 0)) {
        reportWritten(written, at);
        written = next;
        parts.put(at, next, true);
        if (run >= FEWEST_AT_END) {
          found.add(new Range<>(at, next, true));
        }
      }
    }
    reportWritten(written, end);
  }

  /** Returns the first index that does not hold the pattern; {@code to} if there is none. */
  private int endOfPattern(int from, int to) {
    int at = from;
    while (at < to && content.get(at) == PATTERN[at % PATTERN.length]) {
      at++;
    }
    return at;
  }

  private void reportWritten(int from, int to) {
    if (to > from) {
      change.noticed(from, to - from);
    }
  }
}
