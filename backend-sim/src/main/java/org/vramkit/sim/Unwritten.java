package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.vramkit.sim.check.PinnedAccesses.HostChange;

/**
 * The bytes of a page-locked buffer that hold nothing yet. Such a buffer is filled with a pattern
 * that hardly any program writes, so a look finds what was written through views.
 */
final class Unwritten {
  private static final int CHUNK = 8192;

  /** Fewer bytes may be written so by chance. */
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

  /** Of bytes that all hold something. */
  static Unwritten none(ByteBuffer content) {
    return new Unwritten(content, (offset, bytes) -> {});
  }

  /** Fills new bytes; what is noticed to be written through views is told by its offset. */
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

  /** A range was written, or will be, in a way that was told. */
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

  /** Looks what of a range is as it was at first; parts of a few bytes are left out. */
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

  /** Tells of bytes that were written, up to the next that look as at first; gives their end. */
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
