package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.vramkit.sim.check.PinnedAccesses.HostChange;

/**
 * The unwritten bytes of a page-locked buffer. A new buffer is filled with a pattern that programs
 * hardly write, so that writes through views can be detected.
 */
final class Unwritten {
  private static final int CHUNK = 8192;

  /** Fewer pattern bytes may be written by chance. */
  private static final int FEWEST = 8;

  private static final byte[] PATTERN = {-35, 77, -90, 19, -20, 101, -70, 41};

  /** A part of the buffer, by offsets. */
  record Part(int start, int end) {}

  private final ByteBuffer content;
  private final HostChange change;

  /** Ends by starts. */
  private final NavigableMap<Integer, Integer> parts = new TreeMap<>();

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
    all.parts.put(0, content.capacity());
    return all;
  }

  boolean isEmpty() {
    return parts.isEmpty();
  }

  /** Removes a range that was written, or will be, by a known access. */
  void remove(long start, long end) {
    Map.Entry<Integer, Integer> entry = parts.lowerEntry((int) end);
    while (entry != null && entry.getValue() > start) {
      parts.remove(entry.getKey());
      if (entry.getValue() > end) {
        parts.put((int) end, entry.getValue());
      }
      if (entry.getKey() < start) {
        parts.put(entry.getKey(), (int) start);
      }
      entry = parts.lowerEntry(entry.getKey());
    }
  }

  /** Returns the parts of a range that still hold the pattern, without very short ones. */
  List<Part> in(int start, int end) {
    List<Part> found = new ArrayList<>(0);
    for (Part part : within(start, end)) {
      remove(part.start, part.end);
      int at = part.start;
      while (at < part.end) {
        int same = endOfPattern(at, part.end);
        if (same - at >= FEWEST) {
          found.add(new Part(at, same));
        }
        if (same - at >= FEWEST || (same > at && (at == start || same == end))) {
          parts.put(at, same);
        } else {
          same = at;
        }
        at = tellWritten(same, part.end);
      }
    }
    return found;
  }

  private List<Part> within(int start, int end) {
    List<Part> within = new ArrayList<>(1);
    Map.Entry<Integer, Integer> entry = parts.lowerEntry(end);
    while (entry != null && entry.getValue() > start) {
      within.add(0, new Part(Math.max(start, entry.getKey()), Math.min(end, entry.getValue())));
      entry = parts.lowerEntry(entry.getKey());
    }
    return within;
  }

  private int endOfPattern(int from, int to) {
    int at = from;
    while (at < to && content.get(at) == PATTERN[at % PATTERN.length]) {
      at++;
    }
    return at;
  }

  /** Reports written bytes up to the next pattern bytes; returns their end. */
  private int tellWritten(int from, int to) {
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
