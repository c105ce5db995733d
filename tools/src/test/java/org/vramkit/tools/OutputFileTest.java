package org.vramkit.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("17.24 A file for a result")
class OutputFileTest {
  @TempDir private Path folder = Path.of("");

  private static void fail(OutputFile file) {
    UncheckedIOException e =
        assertThrows(
            UncheckedIOException.class,
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
  @DisplayName("keeps its contents if writing fails, and leaves no temporary file")
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
  @DisplayName("42.29 on a full disk is a failed run, like other lost results")
  void fullDisk() throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full), "no /dev/full to find no room on");
    String trace =
        Files.writeString(
                folder.resolve("t.csv"), "action,addr,size,stream,time_us\nalloc,0,512,0,0\n")
            .toString();
    Run.of("view", "-o", full.toString(), trace)
        .failed(Errors.FAILED, "--output: cannot write /dev/full: No space left on device");
    Run.of("replay", "--html", full.toString(), trace).failed(Errors.FAILED, "--html", "No space");
    Run.of("view", "-o", folder.resolve("none/page.html").toString(), trace)
        .failed(Errors.BAD_INPUT, "does not exist");
  }

  @Test
  @DisplayName("is written to the target of a symbolic link, which stays a link")
  void throughLink() throws IOException {
    Path real = Files.writeString(folder.resolve("real.html"), "", UTF_8);
    Path link = Files.createSymbolicLink(folder.resolve("link.html"), real);
    new OutputFile("--html", link, OutputFile.Kind.HTML_PAGE).write("<!doctype html>");
    assertEquals("<!doctype html>", Files.readString(real));
    assertTrue(Files.isSymbolicLink(link));
  }
}
