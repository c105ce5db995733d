package org.vramkit.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("44.3 A page that begins in an empty folder")
class FirstProgramTest {
  private static final Pattern PROGRAM = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern OUTPUT = Pattern.compile("```text\n(.*?)```", Pattern.DOTALL);
  private static final Pattern COMMAND =
      Pattern.compile("java -cp \\.\\./vramkit/tools/target/vramkit\\.jar (\\w+)\\.java");

  @TempDir private Path folder = Path.of("");

  private static String find(Pattern part, String page) {
    Matcher found = part.matcher(page);
    assertTrue(found.find(), () -> "no " + part);
    return found.group(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"first-program.md", "out-of-memory.md"})
  @DisplayName("44.3 has a program that the page's one command runs, with the output that it shows")
  void runs(String name) throws IOException, InterruptedException {
    String page = Files.readString(Path.of("..", "docs", name)).replace("\r\n", "\n");
    String file = find(COMMAND, page) + ".java";
    Files.writeString(folder.resolve(file), find(PROGRAM, page));
    Path errors = folder.resolve("errors");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dvramkit.backend=sim",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                absolute(System.getProperty("java.class.path")),
                file)
            .directory(folder.toFile())
            .redirectError(errors.toFile())
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    String told = output + Files.readString(errors);
    assertEquals(0, process.waitFor(), told);
    assertEquals(find(OUTPUT, page), output.replace("\r\n", "\n"), told);
    assertTrue(!told.contains("hazard"), told);
  }

  private static String absolute(String classPath) {
    List<String> parts = List.of(classPath.split(File.pathSeparator));
    return String.join(
        File.pathSeparator,
        parts.stream().map(each -> Path.of(each).toAbsolutePath().toString()).toList());
  }
}
