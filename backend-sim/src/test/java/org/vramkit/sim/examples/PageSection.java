package org.vramkit.sim.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The section of docs/simulator.md that is about one code: its heading is the code. */
final class PageSection {
  private static final boolean WRITE = "write".equals(System.getProperty("vramkit.docs"));

  private final Path file;
  private final String page;
  private final String heading;
  private final int start;
  private final int end;

  private PageSection(Path file, String page, String heading, int start, int end) {
    this.file = file;
    this.page = page;
    this.heading = heading;
    this.start = start;
    this.end = end;
  }

  /** The section as it is in the file now. */
  static PageSection of(String code) throws IOException {
    Path file = Project.root().resolve(Project.PAGE);
    String page = Files.readString(file).replace("\r\n", "\n");
    Matcher matcher =
        Pattern.compile("^### (" + code + ")\n(.*?)(?=^##|\\z)", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(page);
    if (!matcher.find()) {
      throw new AssertionError(file + " has no section '### " + code + "'; see Examples");
    }
    return new PageSection(file, page, matcher.group(1), matcher.start(2), matcher.end(2));
  }

  String getText() {
    return page.substring(start, end);
  }

  /** What comes before the first block. */
  String getMeaning() {
    return getText().split("```", 2)[0];
  }

  /** The anchor that a heading gets where the page is shown: its text in lower case. */
  String getAnchor() {
    return heading.toLowerCase(Locale.ROOT);
  }

  /** The first block of a language; empty if there is none. */
  String getBlock(String language) {
    Matcher matcher = block(language).matcher(getText());
    return matcher.find() ? matcher.group(1) : "";
  }

  private static Pattern block(String language) {
    return Pattern.compile("^```" + language + "\n(.*?)^```\n", Pattern.MULTILINE | Pattern.DOTALL);
  }

  /** Puts example and report into the section, before the fix, if the build was told to write. */
  void update(String source, String report) throws IOException {
    if (!WRITE) {
      return;
    }
    String prose =
        block("text").matcher(block("java").matcher(getText()).replaceFirst("")).replaceFirst("");
    String[] parts = prose.split("\nFix: ", 2);
    String text =
        parts[0].stripTrailing()
            + "\n\n```java\n"
            + source
            + "```\n\n```text\n"
            + report
            + "```\n\nFix: "
            + parts[1];
    Files.writeString(file, page.substring(0, start) + text + page.substring(end));
  }
}
