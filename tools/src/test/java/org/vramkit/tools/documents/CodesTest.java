package org.vramkit.tools.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("44.5 docs/codes.md")
class CodesTest {
  private static final Pattern CODE = Pattern.compile("VRK-[A-Z]\\d{3}");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(VRK-[A-Z]\\d{3})` \\|");

  @Test
  @DisplayName("44.5 has exactly a row for each diagnostic code")
  void complete() throws IOException {
    Set<String> used = new TreeSet<>();
    for (Path file : Project.files(name -> name.matches("[^/]+/src/main/.*\\.(java|kt)"))) {
      CODE.matcher(Project.read(file)).results().map(MatchResult::group).forEach(used::add);
    }
    assertTrue(used.size() >= 10, "found only " + used);
    Set<String> rows =
        ROW.matcher(Project.read(Project.ROOT.resolve("docs/codes.md")))
            .results()
            .map((MatchResult row) -> row.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(used, rows);
  }
}
