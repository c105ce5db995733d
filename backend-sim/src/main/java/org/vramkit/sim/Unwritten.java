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

  /** Minimum run of pattern bytes that counts as unwritten; a shorter one may arise by chance. */
  private static final int FEWEST = 8;

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
  static Unwritten none(ByteBuffer content) {
    return new Unwritten(content, (offset, bytes) -> {});
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

  /** Returns the parts of a range that still hold the pattern, without very short ones. */
  List<Range<Boolean>> in(int start, int end) {
    List<Range<Boolean>> found = new ArrayList<>(0);
    for (Range<Boolean> part : parts.in(start, end)) {
      int at = (int) part.start();
      int partEnd = (int) part.end();
      parts.remove(at, partEnd);
      while (at < partEnd) {
        int same = endOfPattern(at, partEnd);
        if (same - at >= FEWEST) {
          found.add(new Range<>(at, same, true));
        }
        if (same - at >= FEWEST || (same > at && (at == start || same == end))) {
          parts.put(at, same, true);
        } else {
          same = at;
        }
        at = reportWritten(same, partEnd);
      }
    }
    return found;
  }

  private int endOfPattern(int from, int to) {
    int at = from;
    while (at < to && content.get(at) == PATTERN[at % PATTERN.length]) {
      at++;
    }
    return at;
  }

  /** Reports written bytes up to the next pattern bytes; returns their end. */
  private int reportWritten(int from, int to) {
    int at = from;
    while (at < to && endOfPattern(at, Math.min(to, at + FEWEST)) < Math.min(to, at + FEWEST)) {
      at = endOfPattern(at, Math.min(to, at + FEWEST)) + 1;
    }
    if (at > from) {
      change.noticed(from, at - from);
    }
    return at;
  }
}
