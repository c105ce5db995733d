package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README prints is what is there. */
class ReadmeTest {
  private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  private static final Pattern OUTPUT =
      Pattern.compile("```text\n(Memory at the peak.*?)```", Pattern.DOTALL);

  private static final Pattern RATIO = Pattern.compile(" ns, ([\\d.]+)$");

  private static String readme() throws IOException {
    return Files.readString(Path.of("..", "README.md"));
  }

  @Test
  @DisplayName("44.3 It has at most 150 lines")
  void length() throws IOException {
    assertTrue(readme().lines().count() <= 150, () -> "too long for a first page");
  }

  @Test
  @DisplayName("44.3 The table under the first command is what the command prints")
  void output() throws IOException {
    String table = OUTPUT.matcher(readme()).results().findFirst().orElseThrow().group(1);
    Run run = Run.of("replay", Path.of("..", "traces", "gpt.csv.gz").toString());
    assertEquals(0, run.code(), run.err());
    List<String> printed = run.out().lines().limit(3).map(ReadmeTest::words).toList();
    assertEquals(table.lines().map(ReadmeTest::words).toList(), printed);
  }

  /** A line without its padding, and without the way to the traces. */
  private static String words(String line) {
    return line.replaceAll(" +", " ").replace('\\', '/').replace("../traces", "traces");
  }

  @Test
  @DisplayName("44.3 The chart above the table of ratios shows those ratios")
  void chart() throws IOException {
    String chart = Files.readString(Path.of("..", "docs", "charts", "memory.svg"));
    List<String> lines = readme().lines().filter(line -> line.startsWith("| ")).toList();
    List<String> names = cells(lines.get(0));
    List<List<String>> rows =
        lines.stream()
            .map(ReadmeTest::cells)
            .takeWhile(cells -> cells.size() == names.size())
            .filter(cells -> RATIO.matcher(cells.get(1)).find() && !cells.get(0).contains("*"))
            .toList();
    assertEquals(7, rows.size(), "traces of the table");
    for (List<String> row : rows) {
      for (int i = 1; i < row.size(); i++) {
        Matcher ratio = RATIO.matcher(row.get(i));
        assertTrue(ratio.find(), row.get(i));
        String bar = row.get(0) + ", " + names.get(i).replace("`", "") + ": ";
        String shown = bar + Double.parseDouble(ratio.group(1)) + "</title>";
        assertTrue(chart.contains("<title>" + shown), () -> shown + ": run bench/memory-chart");
      }
    }
  }

  private static List<String> cells(String line) {
    return List.of(line.substring(2, line.length() - 2).split(" \\| "));
  }

  @Test
  @DisplayName("The example in Java compiles as it is printed: imports, then the five lines")
  void example(@TempDir Path classes) throws IOException {
    List<String> parts =
        EXAMPLE.matcher(readme()).results().map((MatchResult part) -> part.group(1)).toList();
    // The third is a whole file of a test that fails: NewcomerTest of the examples has it.
    assertEquals(3, parts.size());
    String source = parts.get(0) + "class Example { void run() {\n" + parts.get(1) + "}}";
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    boolean compiled =
        compiler
            .getTask(
                messages,
                null,
                null,
                List.of("-d", classes.toString(), "-Xlint:all", "-Werror", "-proc:none"),
                null,
                List.of(
                    new SimpleJavaFileObject(
                        URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
                      @Override
                      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                      }
                    }))
            .call();
    assertTrue(compiled, messages + "\n" + source);
  }
}
