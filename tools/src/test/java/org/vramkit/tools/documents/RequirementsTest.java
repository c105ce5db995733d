package org.vramkit.tools.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** docs/requirements.md has what tests cite. */
@DisplayName("The page of requirements")
class RequirementsTest {
  private static final String ID = "[SAHPR]\\d+(?:\\.\\d+)?|\\d{1,2}(?:\\.\\d+)?";

  /** The strings of a display name, which may be several. */
  private static final Pattern NAME =
      Pattern.compile("DisplayName\\(\\s*((?:\"(?:[^\"\\\\]|\\\\.)*\"[\\s+]*)+)\\)");

  /** Ids that a display name begins with. */
  private static final Pattern CITED =
      Pattern.compile("((?:(?:" + ID + ")(?:, defects?|, twin| better)?(?:, |/|: | ))+).*");

  /** A scenario of the simulator's matrix begins with its id, on a line of its own. */
  private static final Pattern SCENARIO = Pattern.compile("(?m)^\\s*\"(" + ID + ")\",$");

  private static final Pattern IN_COMMENT =
      Pattern.compile("(?<![\\w.])(S[1-5]\\.\\d+)(?![\\w.]\\d)");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| (" + ID + "|Issue \\d+) \\| [^|]+ \\| ([^|]+) \\|$");
  private static final Pattern QUOTED = Pattern.compile("`(\\w+)`");

  private static String page() throws IOException {
    return Project.read(Project.ROOT.resolve("docs/requirements.md"));
  }

  private static Set<String> rows() throws IOException {
    return ROW.matcher(page())
        .results()
        .map((MatchResult row) -> row.group(1))
        .collect(Collectors.toUnmodifiableSet());
  }

  @Test
  @DisplayName("has every id that a test's display name begins with, or a scenario")
  void cited() throws IOException {
    TreeMap<String, String> missing = new TreeMap<>();
    Set<String> rows = rows();
    int found = 0;
    for (Path file :
        Project.files(name -> name.contains("/src/test/") && name.matches(".*\\.(java|kt)"))) {
      Set<String> ids = idsIn(file);
      found += ids.size();
      ids.stream()
          .filter(id -> !rows.contains(id))
          .forEach(id -> missing.put(id, Project.nameOf(file)));
    }
    assertTrue(found > 200, "only " + found + " ids were found: has their place changed?");
    assertEquals("{}", missing.toString(), "add a row to docs/requirements.md");
  }

  private static Set<String> idsIn(Path file) throws IOException {
    String code = Project.read(file);
    String name = Project.nameOf(file);
    Set<String> ids = new TreeSet<>();
    NAME.matcher(code)
        .results()
        .map((MatchResult literal) -> literal.group(1).replaceAll("\"\\s*\\+\\s*\"", ""))
        .map(literal -> CITED.matcher(literal.substring(1)))
        .filter(Matcher::matches)
        .flatMap(cited -> Pattern.compile(ID).matcher(cited.group(1)).results())
        .forEach(id -> ids.add(whole(id.group(), name)));
    if (name.endsWith("Scenarios.java")) {
      SCENARIO.matcher(code).results().forEach(id -> ids.add(whole(id.group(1), name)));
    }
    // A title that begins with a number cites nothing.
    ids.remove("");
    return ids;
  }

  /** A bare number means the list of the module; in other modules it is none. */
  private static String whole(String id, String file) {
    if (!id.matches("\\d+") || (id.equals("19") && file.startsWith("examples/"))) {
      return id;
    }
    if (file.startsWith("backend-sim/") || file.startsWith("sim-replay/")) {
      return "H" + id;
    }
    return file.startsWith("partition/") ? "P" + id : file.startsWith("pool/") ? "A" + id : "";
  }

  @Test
  @DisplayName("has every id of the five systems that a comment cites")
  void comments() throws IOException {
    Set<String> rows = rows();
    for (Path file : Project.files(name -> name.matches(".*/src/.*\\.(java|kt)|docs/.*\\.md"))) {
      IN_COMMENT
          .matcher(Project.read(file))
          .results()
          .forEach(id -> assertTrue(rows.contains(id.group(1)), id.group(1) + " of " + file));
    }
  }

  @Test
  @DisplayName("names test classes that there are")
  void classes() throws IOException {
    Set<String> there = Project.testClasses();
    Set<String> gone = new TreeSet<>();
    ROW.matcher(page())
        .results()
        .forEach(
            row -> {
              Set<String> named =
                  QUOTED
                      .matcher(row.group(2))
                      .results()
                      .map((MatchResult name) -> name.group(1))
                      .collect(Collectors.toSet());
              assertFalse(named.isEmpty(), row.group(1) + " names no test");
              named.stream().filter(name -> !there.contains(name)).forEach(gone::add);
            });
    assertEquals(Set.of(), gone, "name the classes' new names in docs/requirements.md");
  }
}
