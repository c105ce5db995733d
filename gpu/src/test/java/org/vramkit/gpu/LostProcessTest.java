package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("gpu")
@DisplayName("A fatal error is known for the whole process")
class LostProcessTest {

  @Test
  @DisplayName(
      "H25 after a wild write every device and both bindings say 700, and closing is quiet")
  void wildWrite() throws IOException, InterruptedException {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                LostProcess.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = child.waitFor();
    String told =
        output
            .lines()
            .filter(
                line -> line.contains("lost") || line.contains("works") || line.contains("closed"))
            .reduce("", (a, b) -> a + b + "\n");
    assertEquals(
        """
        the stream is lost: 700
        the device is lost: 700
        the last device is lost: 700
        the other binding is lost: 700
        closed without an error
        """,
        told,
        output);
    assertEquals(0, status, output);
  }
}
