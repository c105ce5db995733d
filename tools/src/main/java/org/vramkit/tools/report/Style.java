package org.vramkit.tools.report;

import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.IStyle;

/**
 * The look of text reports: bold headings and red alarms where picocli finds a terminal that takes
 * colours and {@code NO_COLOR} is not set, plain text elsewhere.
 *
 * @param ansi whether escape sequences are printed
 */
public record Style(Ansi ansi) {
  /** No escape sequences. */
  public static final Style PLAIN = new Style(Ansi.OFF);

  /** Formats the title of a table or section. */
  public String heading(String text) {
    return paint(Ansi.Style.bold, text);
  }

  /** Formats a figure that makes a run fail. */
  public String alarm(String text) {
    return paint(Ansi.Style.fg_red, text);
  }

  private String paint(IStyle style, String text) {
    return ansi.enabled() ? style.on() + text + Ansi.Style.reset.on() : text;
  }
}
