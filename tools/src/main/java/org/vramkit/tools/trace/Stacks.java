package org.vramkit.tools.trace;

import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.TagUsage;

/**
 * Stacks of frames by number, each held once, outermost frame first; number 0 has no frame. A stack
 * keeps its innermost frames where it is too deep, and once there are too many all further ones are
 * one.
 */
final class Stacks {
  private static final int MAX_FRAMES = 1 << 20;
  private static final int MAX_STACKS = 1 << 21;
  private static final int MAX_DEPTH = 1024;

  private final Labels frames = new Labels(MAX_FRAMES);
  // A buffer is equal to another one of the same numbers.
  private final Map<IntBuffer, Integer> numbers = new HashMap<>();
  private final List<int[]> stacks = new ArrayList<>();
  private int[] current = new int[64];
  private int depth;
  private boolean isCut;
  private long cut;
  private long others;

  Stacks() {
    number();
  }

  /** Adds a frame to the stack that {@link #number()} will end, the innermost one first. */
  void frame(String text) {
    if (depth == MAX_DEPTH) {
      isCut = true;
      return;
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
    cut += isCut ? 1 : 0;
    isCut = false;
    for (int i = 0, j = depth - 1; i < j; i++, j--) {
      int frame = current[i];
      current[i] = current[j];
      current[j] = frame;
    }
    Integer known = numbers.get(IntBuffer.wrap(current, 0, depth));
    if (known == null && stacks.size() >= MAX_STACKS - 1) {
      others++;
      depth = 0;
      return numberOfOthers();
    }
    if (known == null) {
      int[] own = Arrays.copyOf(current, depth);
      known = stacks.size();
      numbers.put(IntBuffer.wrap(own), known);
      stacks.add(own);
    }
    depth = 0;
    return known;
  }

  private int numberOfOthers() {
    if (stacks.size() < MAX_STACKS) {
      stacks.add(new int[] {frames.number(TagUsage.OTHERS)});
    }
    return MAX_STACKS - 1;
  }

  /** The number of a stack as text: frames joined by semicolons, outermost first. */
  int number(String joined) {
    int to = joined.length();
    while (to > 0 && depth < MAX_DEPTH) {
      int from = joined.lastIndexOf(';', to - 1) + 1;
      if (to > from) {
        frame(joined.substring(from, to));
      }
      to = from - 1;
    }
    isCut = to > 0;
    return number();
  }

  /** How many entries had a stack of frames that are not all held. */
  long getOthers() {
    return others + frames.getOthers() + cut;
  }

  List<String> frames() {
    return frames.texts();
  }

  List<int[]> stacks() {
    return stacks;
  }
}
