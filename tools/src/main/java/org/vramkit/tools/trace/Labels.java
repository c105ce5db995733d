package org.vramkit.tools.trace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.api.allocator.TagUsage;

/**
 * Texts by number, each held once; number 0 is none. A file may name a text for each of its
 * entries: once there are as many as may be held, all further ones are one. Not for several
 * threads.
 */
final class Labels {
  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<String> texts = new ArrayList<>();
  private final int limit;
  private long others;

  /**
   * Starts with none.
   *
   * @param limit how many are held, with that for all others
   */
  Labels(int limit) {
    this.limit = limit;
    number("");
  }

  /** The number of a text; an empty one has 0. */
  int number(String text) {
    Integer known = numbers.get(text);
    if (known != null) {
      return known;
    }
    if (texts.size() >= limit - 1) {
      others++;
      return numberOfOthers();
    }
    return add(text);
  }

  private int numberOfOthers() {
    if (texts.size() < limit) {
      // A text that reads the same is another one.
      texts.add(TagUsage.OTHERS);
    }
    return limit - 1;
  }

  private int add(String text) {
    int number = texts.size();
    numbers.put(text, number);
    texts.add(text);
    return number;
  }

  List<String> texts() {
    return Collections.unmodifiableList(texts);
  }

  /** How often a text was asked for that counts as one of the others. */
  long getOthers() {
    return others;
  }
}
