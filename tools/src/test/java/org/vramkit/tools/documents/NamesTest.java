package org.vramkit.tools.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The table of public names: generated from the sources, but for the terms of the field, which are
 * written by hand. To write it anew, with the terms that it has: {@value #COMMAND}.
 */
@DisplayName("44.1 docs/names.md")
class NamesTest {
  private static final String COMMAND =
      "./mvnw -pl tools -am test -Dtest=NamesTest -Dsurefire.failIfNoSpecifiedTests=false"
          + " -Dvramkit.docs=write";

  private static final boolean WRITE = "write".equals(System.getProperty("vramkit.docs"));
  private static final Path PAGE = Project.ROOT.resolve("docs/names.md");
  private static final String HEAD =
      "| name | module | what it is | the field's term |\n|---|---|---|---|\n";
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(\\w+)` \\| (\\S+) \\| (.*) \\| ([^|]*)\\|$");

  @Test
  @DisplayName("44.1 has one row for each public type of each library, as its Javadoc says")
  void complete() throws IOException {
    String page = Project.read(PAGE);
    int table = page.indexOf(HEAD);
    assertTrue(table >= 0, PAGE + " lacks the line " + HEAD);
    List<PublicType> types = PublicType.all();
    assertTrue(types.size() > 200, "only " + types.size() + ": has their place changed?");
    Map<String, String> terms =
        rows(page)
            .collect(
                Collectors.toMap(
                    row -> row.group(2) + "." + row.group(1), row -> row.group(4).strip()));
    String expected =
        page.substring(0, table)
            + HEAD
            + types.stream()
                .map(
                    type ->
                        "| `%s` | %s | %s | %s |\n"
                            .formatted(
                                type.name(),
                                type.module(),
                                type.sentence(),
                                terms.getOrDefault(type.module() + "." + type.name(), "")))
                .collect(Collectors.joining());
    if (WRITE) {
      Files.writeString(PAGE, expected);
    } else {
      assertEquals(
          expected, page, "out of date; " + COMMAND + " writes it, the last column is yours");
    }
  }

  @Test
  @DisplayName("44.1 names the field's term, or whose term the name is, in each row")
  void terms() throws IOException {
    List<String> lacking =
        rows(Project.read(PAGE))
            .filter(row -> row.group(3).isBlank() || row.group(4).isBlank())
            .map(row -> row.group(2) + "." + row.group(1))
            .toList();
    assertEquals(List.of(), lacking, "write the last column in docs/names.md by hand");
  }

  @Test
  @DisplayName("44.1 says in each row whose term it is")
  void origins() throws IOException {
    List<String> lacking =
        rows(Project.read(PAGE))
            .filter(row -> !row.group(4).matches(".*(\\([^)]+\\)).*"))
            .map(row -> row.group(2) + "." + row.group(1) + ": " + row.group(4))
            .toList();
    assertEquals(List.of(), lacking, "name the library, standard or book that uses the term");
  }

  private static Stream<MatchResult> rows(String page) {
    return ROW.matcher(page).results();
  }
}
