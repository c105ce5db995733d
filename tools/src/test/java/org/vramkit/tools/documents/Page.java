package org.vramkit.tools.documents;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Links and headings of one page of Markdown; what stands in blocks of code is neither. */
final class Page {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```$");
  private static final Pattern CODE = Pattern.compile("`[^`\n]+`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern SOURCE = Pattern.compile("(?:src|srcset|href)=\"([^\"]+)\"");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");

  private final String text;

  private Page(String text) {
    this.text = text;
  }

  static Page of(Path file) throws IOException {
    return new Page(BLOCK.matcher(Project.read(file)).replaceAll(""));
  }

  /** Targets of links and pictures, as written. */
  List<String> links() {
    String prose = CODE.matcher(text).replaceAll("");
    return Stream.of(LINK, SOURCE)
        .flatMap(pattern -> pattern.matcher(prose).results())
        .map((MatchResult link) -> link.group(1))
        .toList();
  }

  /** The anchors that headings get where the page is shown. */
  Set<String> anchors() {
    Set<String> anchors = new LinkedHashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    HEADING
        .matcher(text)
        .results()
        .forEach(
            heading -> {
              String anchor = anchorOf(heading.group(1));
              int before = seen.merge(anchor, 1, Integer::sum) - 1;
              anchors.add(before == 0 ? anchor : anchor + "-" + before);
            });
    return anchors;
  }

  /** Lower case, without punctuation, hyphens for blanks. */
  private static String anchorOf(String heading) {
    return heading
        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .replace(' ', '-');
  }
}
