package org.vramkit.tools.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.AllocatorOption;
import org.vramkit.pool.caching.CachingAllocatorBuilder;

/**
 * The table of options is printed from the builder's list, between two marks. To write it anew:
 * {@value #COMMAND}.
 */
@DisplayName("The table of the caching allocator's options")
class OptionTablesTest {
  private static final String COMMAND =
      "./mvnw -pl tools -am test -Dtest=OptionTablesTest -Dsurefire.failIfNoSpecifiedTests=false"
          + " -Dvramkit.docs=write";

  private static final boolean WRITE = "write".equals(System.getProperty("vramkit.docs"));
  private static final String BEGIN = "<!-- options, printed by OptionTablesTest -->\n";
  private static final String END = "<!-- end of options -->";

  @Test
  @DisplayName("docs/options.md has all of them")
  void options() throws IOException {
    check("docs/options.md", CachingAllocatorBuilder.getOptions());
  }

  private static void check(String name, List<AllocatorOption> options) throws IOException {
    Path file = Project.ROOT.resolve(name);
    String page = Project.read(file);
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    assertTrue(begin >= 0 && begin < end, name + " lacks the lines " + BEGIN + END);
    int table = begin + BEGIN.length();
    String expected = table(options);
    if (WRITE) {
      Files.writeString(file, page.substring(0, table) + expected + page.substring(end));
    } else {
      assertEquals(
          expected,
          page.substring(table, end),
          name + " is out of date; " + COMMAND + " writes it");
    }
  }

  private static String table(List<AllocatorOption> options) {
    return options.stream()
        .map(OptionTablesTest::row)
        .collect(
            Collectors.joining(
                "\n", "| option | unit | default | what it does |\n|---|---|---|---|\n", "\n"));
  }

  private static String row(AllocatorOption option) {
    return "| `%s` | %s | %s | %s |"
        .formatted(option.name(), option.unit(), option.defaultValue(), option.description());
  }
}
