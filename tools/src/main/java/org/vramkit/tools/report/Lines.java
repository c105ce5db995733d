package org.vramkit.tools.report;

import java.util.ArrayList;
import java.util.List;

/** Wraps text for a terminal of 80 columns. */
final class Lines {
  /** The width of every text report. */
  static final int WIDTH = 80;

  private Lines() {}

  /**
   * Wraps a paragraph at {@link #WIDTH}.
   *
   * @param indent spaces before the first line; later lines have two more
   */
  static String wrap(String text, int indent) {
    StringBuilder wrapped = new StringBuilder();
    for (String line : split(text, WIDTH - indent - 2)) {
      wrapped.append(" ".repeat(wrapped.isEmpty() ? indent : indent + 2));
      wrapped.append(line).append('\n');
    }
    return wrapped.toString();
  }

  /** Splits text at spaces into lines of at most {@code width}; splits longer words. */
  static List<String> split(String text, int width) {
    List<String> lines = new ArrayList<>();
    String rest = text;
    while (rest.length() > width) {
      int blank = rest.lastIndexOf(' ', width);
      int end = blank > 0 ? blank : width;
      lines.add(rest.substring(0, end));
      rest = rest.substring(end).stripLeading();
    }
    lines.add(rest);
    return lines;
  }
}
