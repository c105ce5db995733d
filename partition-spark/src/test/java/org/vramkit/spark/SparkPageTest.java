package org.vramkit.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkPageTest {
  private static final Pattern PROGRAM =
      Pattern.compile("(?s)```java\\n(import java[^`]*?org\\.apache\\.spark.*?)```");

  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName("44.5 The program for Spark in docs/scatter.md compiles as it stands")
  void compiles() throws IOException {
    Matcher program = PROGRAM.matcher(Files.readString(Path.of("..", "docs", "scatter.md")));
    assertTrue(program.find(), "the page shows no program for Spark");
    Path file = Files.writeString(folder.resolve("FillOnCluster.java"), program.group(1));
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                file.toString());
    assertEquals(0, result, "see the compiler's messages");
  }
}
