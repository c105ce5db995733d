package org.vramkit.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.tools.replay.UsageException;

@DisplayName("17.24 A file for a result")
class OutputFileTest {
  @TempDir private Path folder = Path.of("");

  private static void fail(OutputFile file) {
    UsageException e =
        assertThrows(
            UsageException.class,
            () ->
                file.write(
                    target -> {
                      target.write(new byte[1 << 20]);
                      throw new IOException("No space left on device");
                    }));
    assertTrue(e.toString().contains("No space left on device"), e.toString());
  }

  private List<String> names() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  @DisplayName("keeps what it held where writing fails halfway, and leaves nothing beside it")
  void failedHalfway() throws IOException {
    Path page = folder.resolve("page.html");
    OutputFile file = new OutputFile("--html", page, OutputFile.Kind.HTML_PAGE);
    fail(file);
    assertEquals(List.of(), names());
    file.write("<!doctype html>old");
    fail(file);
    assertEquals("<!doctype html>old", Files.readString(page));
    assertEquals(List.of("page.html"), names());
    file.write("<!doctype html>new");
    assertEquals("<!doctype html>new", Files.readString(page));
  }

  @Test
  @DisplayName("is written where a link leads to, which stays a link")
  void throughLink() throws IOException {
    Path real = Files.writeString(folder.resolve("real.html"), "", UTF_8);
    Path link = Files.createSymbolicLink(folder.resolve("link.html"), real);
    new OutputFile("--html", link, OutputFile.Kind.HTML_PAGE).write("<!doctype html>");
    assertEquals("<!doctype html>", Files.readString(real));
    assertTrue(Files.isSymbolicLink(link));
  }
}
