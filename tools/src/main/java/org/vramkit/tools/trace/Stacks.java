package org.vramkit.tools.trace;

import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Stacks of frames by number, each held once, outermost frame first; number 0 has no frame. */
final class Stacks {
  private static final int MAX_FRAMES = 1 << 20;
  private static final int MAX_STACKS = 1 << 21;
  private static final int MAX_DEPTH = 1024;

  private final Labels frames;
  private final Position position;
  // A buffer is equal to another one of the same numbers.
  private final Map<IntBuffer, Integer> numbers = new HashMap<>();
  private final List<int[]> stacks = new ArrayList<>();
  private int[] current = new int[64];
  private int depth;

  Stacks(Position position) {
    this.position = position;
    this.frames = new Labels(MAX_FRAMES, "stack frames", position);
    number();
  }

  /** Adds a frame to the stack that {@link #number} will end. */
  void frame(String text) {
    if (depth == MAX_DEPTH) {
      throw position.error("a stack of more than " + MAX_DEPTH + " frames");
    }
    if (depth == current.length) {
      current = Arrays.copyOf(current, depth * 2);
    }
    current[depth++] = frames.number(text);
  }

  /** The text of a frame; Java's are written alike. */
  static String frame(String name, String file, @Nullable Long line) {
    return name + "(" + file + (line == null ? "" : ":" + line) + ")";
  }

  /** The number of the stack of the frames that were added since the last one. */
  int number() {
    Integer known = numbers.get(IntBuffer.wrap(current, 0, depth));
    if (known == null) {
      if (stacks.size() == MAX_STACKS) {
        throw position.error("more than " + MAX_STACKS + " different stacks");
      }
      int[] own = Arrays.copyOf(current, depth);
      known = stacks.size();
      numbers.put(IntBuffer.wrap(own), known);
      stacks.add(own);
    }
    depth = 0;
    return known;
  }

  /** The same for frames that were added innermost first. */
  int numberOfReversed() {
    for (int i = 0, j = depth - 1; i < j; i++, j--) {
      int frame = current[i];
      current[i] = current[j];
      current[j] = frame;
    }
    return number();
  }

  /** The number of a stack as text: frames joined by semicolons, outermost first. */
  int number(String joined) {
    int from = 0;
    while (from < joined.length()) {
      int to = joined.indexOf(';', from);
      to = to < 0 ? joined.length() : to;
      if (to > from) {
        frame(joined.substring(from, to));
      }
      from = to + 1;
    }
    return number();
  }

  List<String> frames() {
    return frames.texts();
  }

  List<int[]> stacks() {
    return stacks;
  }
}
