package org.vramkit.tools.report;

import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.IStyle;

/**
 * The style of text reports: bold headings and red alarms on a terminal with colours, plain text
 * elsewhere or if {@code NO_COLOR} is set.
 *
 * @param ansi picocli's choice whether to print escape sequences
 */
public record Style(Ansi ansi) {
  /** Prints no escape sequences. */
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
