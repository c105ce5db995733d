package org.vramkit.tools.trace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.api.allocator.TagUsage;

/**
 * Interns strings and numbers them; the empty string is number 0. Beyond a limit, all new strings
 * share one number, because a file may have a distinct string in every entry. Not thread-safe.
 */
final class StringTable {
  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<String> texts = new ArrayList<>();
  private final int limit;
  private long others;

  /**
   * Creates an empty table.
   *
   * @param limit maximum number of strings, including the shared one
   */
  StringTable(int limit) {
    this.limit = limit;
    number("");
  }

  /** Returns the number of a string. */
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
      // Only in the list: a string of a file that equals this one has its own number.
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

  /** Returns how often a string got the shared number. */
  long getOthers() {
    return others;
  }
}
