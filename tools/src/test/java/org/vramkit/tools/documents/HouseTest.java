package org.vramkit.tools.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How long files may be, and that what is public is shown. */
@DisplayName("20.7 The house")
class HouseTest {
  private static final int MOST_LINES = 600;

  /** A hard class of a module may be longer, rather than be cut across its concept. */
  private static final int MOST_LINES_OF_HARD_CLASS = 1000;

  private static final Set<String> HARD_CLASSES =
      Set.of(
          "partition/src/main/java/org/vramkit/partition/scatter/ScatterRun.java",
          "pool/src/main/java/org/vramkit/pool/caching/internal/arena/Arena.java",
          "pool/src/main/java/org/vramkit/pool/caching/internal/cache/ThreadCache.java",
          "pool/src/main/java/org/vramkit/pool/caching/internal/heap/Heap.java",
          "pool/src/main/java/org/vramkit/pool/caching/internal/heap/VirtualMemorySource.java",
          "pressure/src/main/java/org/vramkit/pressure/SpillStore.java");
  private static final int MOST_LINES_OF_TEST = 400;

  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern EXPORT = Pattern.compile("exports ([\\w.]+)");
  private static final Pattern PUBLIC =
      Pattern.compile(
          "(?m)^public (?:abstract |final |sealed |non-sealed )*"
              + "(?:class|interface|enum|record|@interface) (\\w+)");
  private static final Pattern WORD = Pattern.compile("\\w+");
  private static final Pattern CLOSED = Pattern.compile("(?:new |= |throw )ClosedException\\(");
  private static final Pattern LIMIT =
      Pattern.compile(
          "assertTimeout|@Timeout\\(\\d|\\.(?:get|await\\w*|poll|waitFor)\\((?:[^()]*, )?\\d+,"
              + " (?:TimeUnit\\.)?(?:SECONDS|MINUTES)");
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*");

  @Test
  @DisplayName(
      "no file of the product has more than 600 lines, a hard class 1,000, no test more than 400")
  void lengths() throws IOException {
    TreeMap<String, Long> tooLong = new TreeMap<>();
    List<Path> sources = Project.files(name -> name.matches(".*/src/.*\\.(java|kt)"));
    for (Path file : sources) {
      String name = Project.nameOf(file);
      long lines = Project.read(file).lines().count();
      if (lines > mostLines(name)) {
        tooLong.put(name, lines);
      }
    }
    assertTrue(
        sources.size() > 1000, "only " + sources.size() + " files: has their place changed?");
    assertEquals("{}", tooLong.toString(), "split along concepts");
  }

  private static int mostLines(String name) {
    if (HARD_CLASSES.contains(name)) {
      return MOST_LINES_OF_HARD_CLASS;
    }
    return name.contains("/src/test/") ? MOST_LINES_OF_TEST : MOST_LINES;
  }

  @Test
  @DisplayName("each public type of an exported package stands in a test, an example or a page")
  void shown() throws IOException {
    Set<String> words = shownWords();
    Set<String> exported = exported();
    TreeSet<String> unseen = new TreeSet<>();
    int types = 0;
    for (Path file : Project.files(name -> name.matches(".*/src/main/java/.*\\.java"))) {
      String text = Project.read(file);
      Matcher at = PACKAGE.matcher(text);
      Matcher type = PUBLIC.matcher(text);
      if (at.find() && exported.contains(at.group(1)) && type.find()) {
        types++;
        if (!words.contains(type.group(1))) {
          unseen.add(at.group(1) + "." + type.group(1));
        }
      }
    }
    assertTrue(types > 200, "only " + types + " public types: has their place changed?");
    assertEquals("[]", unseen.toString(), "show its use, or let it not be public");
  }

  @Test
  @DisplayName(
      "17.24 errors about closed objects name the object, the consequence and" + " the remedy")
  void closed() throws IOException {
    TreeSet<String> incomplete = new TreeSet<>();
    int found = 0;
    for (Path file : Project.files(name -> name.matches(".*/src/main/.*\\.(java|kt)"))) {
      String text = Project.read(file);
      Matcher made = CLOSED.matcher(text);
      while (made.find()) {
        found++;
        if (arguments(text, made.end()) != 3) {
          incomplete.add(Project.nameOf(file));
        }
      }
    }
    assertTrue(found > 20, "only " + found + " places: has the exception another name?");
    assertEquals("[]", incomplete.toString(), "use the constructor of three parts");
  }

  @Test
  @DisplayName("no test is bounded by seconds, which a busy machine does not have")
  void unhurried() throws IOException {
    TreeSet<String> hurried = new TreeSet<>();
    List<Path> tests = Project.files(name -> name.matches(".*/src/test/.*\\.(java|kt)"));
    for (Path file : tests) {
      if (!file.endsWith("HouseTest.java") && LIMIT.matcher(Project.read(file)).find()) {
        hurried.add(Project.nameOf(file));
      }
    }
    assertTrue(tests.size() > 500, "only " + tests.size() + " tests: has their place changed?");
    assertEquals("[]", hurried.toString(), "bound the work; a hang ends by the limit of the build");
  }

  /** How many arguments a call has whose parenthesis has just been opened. */
  private static int arguments(String text, int begin) {
    int count = 1;
    int depth = 1;
    boolean quoted = false;
    for (int at = begin; depth > 0; at++) {
      char next = text.charAt(at);
      quoted ^= next == '"' && text.charAt(at - 1) != '\\';
      if (!quoted) {
        depth += next == '(' ? 1 : next == ')' ? -1 : 0;
        boolean last = text.substring(at + 1).stripLeading().startsWith(")");
        count += next == ',' && depth == 1 && !last ? 1 : 0;
      }
    }
    return count;
  }

  private static Set<String> exported() throws IOException {
    Set<String> packages = new HashSet<>();
    for (Path file : Project.files(name -> name.endsWith("/module-info.java"))) {
      EXPORT.matcher(Project.read(file)).results().forEach(each -> packages.add(each.group(1)));
    }
    return packages;
  }

  /** All words of code that shows the use of something; the kits are tests for all backends. */
  private static Set<String> shownWords() throws IOException {
    Set<String> words = new HashSet<>();
    String shows = "(.*/src/test/|examples/|testkit/src/main/).*\\.(java|kt)";
    for (Path file : Project.files(name -> name.matches(shows))) {
      String code = COMMENT.matcher(Project.read(file)).replaceAll("");
      WORD.matcher(code).results().forEach(each -> words.add(each.group()));
    }
    for (Path page : Project.pages()) {
      WORD.matcher(Project.read(page)).results().forEach(each -> words.add(each.group()));
    }
    return words;
  }
}
