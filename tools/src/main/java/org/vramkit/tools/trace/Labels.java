package org.vramkit.tools.trace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Texts by number, each held once; number 0 is none. Not for several threads. */
final class Labels {
  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<String> texts = new ArrayList<>();
  private final int limit;
  private final Position position;
  private final String what;

  /**
   * Starts with none.
   *
   * @param limit how many there may be
   * @param what they are, for the error when there are more
   */
  Labels(int limit, String what, Position position) {
    this.limit = limit;
    this.what = what;
    this.position = position;
    number("");
  }

  /** The number of a text; an empty one has 0. */
  int number(String text) {
    Integer known = numbers.get(text);
    if (known != null) {
      return known;
    }
    if (texts.size() == limit) {
      throw position.error("more than " + limit + " different " + what);
    }
    int number = texts.size();
    numbers.put(text, number);
    texts.add(text);
    return number;
  }

  List<String> texts() {
    return Collections.unmodifiableList(texts);
  }
}
