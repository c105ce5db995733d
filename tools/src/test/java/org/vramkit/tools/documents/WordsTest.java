package org.vramkit.tools.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Documents, Javadoc, comments and messages are written as the field writes. */
@DisplayName("44.2 Words")
class WordsTest {
  private static final List<String> REJECTED =
      List.of(
          "nobody",
          "somebody",
          "whoever",
          "anybody",
          "so much",
          "so many",
          "is told",
          "are told",
          "hears of",
          "to be had",
          "all the same",
          "by now",
          "after all");

  /** Line breaks, margins of comments and joins of strings may lie within an expression. */
  private static final String GAP = "(?:\\s|\\*|//|\"\\s*\\+\\s*\")+";

  private static final Pattern WORDS =
      Pattern.compile(
          REJECTED.stream()
              .map(words -> words.replace(" ", GAP))
              .collect(Collectors.joining("|", "(?i)\\b(?:", ")\\b")));

  private static final Pattern FIRST_SENTENCE =
      Pattern.compile("/\\*\\*\\s*(?:\\*\\s*)?((?:What|Who|Where|Whether|And)\\b[^\\n*]*)");

  /** Code and output, which a page quotes from the modules that they are of. */
  private static final Pattern QUOTED = Pattern.compile("(?ms)^ *```.*?^ *```$");

  @Test
  @DisplayName("44.2 that must be read twice are in no document")
  void documents() throws IOException {
    List<Path> pages = Project.pages();
    assertTrue(pages.size() >= 10, "found only " + pages);
    TreeSet<String> found = new TreeSet<>();
    for (Path page : pages) {
      String text = prose(Project.read(page));
      find(page, text, WORDS, found);
    }
    assertEquals("", String.join("\n", found), "name the subject: caller, stream, allocator");
  }

  @Test
  @DisplayName("44.2 that must be read twice are in no comment or message of a finished module")
  void code() throws IOException {
    TreeSet<String> found = new TreeSet<>();
    List<Path> files = Project.files(name -> name.matches("[^/]+/src/main/.*\\.(java|kt)"));
    assertTrue(files.size() > 400, "only " + files.size() + ": has their place changed?");
    for (Path file : files) {
      String text = Project.read(file);
      find(file, text, WORDS, found);
      find(file, text, FIRST_SENTENCE, found);
    }
    assertEquals("", String.join("\n", found), "name the subject; begin with a verb or the noun");
  }

  @Test
  @DisplayName("44.2 are found across line breaks, comment margins and joined strings")
  void finds() {
    assertEquals(3, matches("so\n   * much; \"by\"\n + \" now\"; Nobody", WORDS));
    assertEquals(0, matches("the nobodyness of byNow, hears offers", WORDS));
    assertEquals(2, matches("/** Who. */ /**\n   * Where it is */ /** Whole */", FIRST_SENTENCE));
  }

  /** A page with empty lines in place of what it quotes, so that lines keep their numbers. */
  private static String prose(String page) {
    return QUOTED.matcher(page).replaceAll(quoted -> quoted.group().replaceAll(".+", ""));
  }

  private static int matches(String text, Pattern pattern) {
    return (int) pattern.matcher(text).results().count();
  }

  private static void find(Path file, String text, Pattern pattern, Set<String> found) {
    Matcher at = pattern.matcher(text);
    while (at.find()) {
      long line = Stream.of(text.substring(0, at.start()).split("\n", -1)).count();
      String words = at.group().replaceAll("\\s+", " ");
      found.add("%s:%04d: %s".formatted(Project.nameOf(file), line, words));
    }
  }
}
