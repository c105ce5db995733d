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
 * Interns call stacks and numbers them; the empty stack is number 0. Stacks list the outermost
 * frame first. A stack that is too deep keeps its innermost frames. All stacks beyond a maximum
 * number share one number.
 */
final class StackTable {
  private static final int MAX_FRAMES = 1 << 20;
  private static final int MAX_STACKS = 1 << 21;
  private static final int MAX_DEPTH = 1024;

  private final StringTable frames = new StringTable(MAX_FRAMES);
  // IntBuffers compare by content, unlike arrays.
  private final Map<IntBuffer, Integer> numbers = new HashMap<>();
  private final List<int[]> stacks = new ArrayList<>();
  private int[] current = new int[64];
  private int depth;
  private boolean isCut;
  private long cut;
  private long others;

  StackTable() {
    number();
  }

  /** Adds a frame to the current stack, the innermost first. */
  void frame(String text) {
    frame(numberOfFrame(text));
  }

  /** Returns the number of a frame. */
  int numberOfFrame(String text) {
    return frames.number(text);
  }

  /** Adds a frame by its number to the current stack, the innermost first. */
  void frame(int number) {
    if (depth == MAX_DEPTH) {
      isCut = true;
      return;
    }
    if (depth == current.length) {
      current = Arrays.copyOf(current, depth * 2);
    }
    others += number == MAX_FRAMES - 1 ? 1 : 0;
    current[depth++] = number;
  }

  /** Formats a frame as Java does. */
  static String frame(String name, String file, @Nullable Long line) {
    return name + "(" + file + (line == null ? "" : ":" + line) + ")";
  }

  /** Ends the current stack and returns its number. */
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

  /** Returns the number of a stack given as frames joined by semicolons, outermost first. */
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

  /** Returns how often a stack or frame was truncated or got a shared number. */
  long getOthers() {
    return others + cut;
  }

  List<String> frames() {
    return frames.texts();
  }

  List<int[]> stacks() {
    return stacks;
  }
}
