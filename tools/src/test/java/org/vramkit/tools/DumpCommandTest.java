package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("42.28 The command dump")
class DumpCommandTest {
  private static BusyJvm jvm;

  @TempDir private Path folder = Path.of("");

  @BeforeAll
  static void start() throws IOException {
    jvm = new BusyJvm(List.of());
  }

  @AfterAll
  static void end() throws IOException, InterruptedException {
    try {
      jvm.finish();
    } finally {
      jvm.close();
    }
  }

  @Test
  @DisplayName("starts a history in another JVM, writes it to a file for replay, and stops it")
  void otherJvm() throws IOException {
    Run begun = Run.of("dump", jvm.getNumber(), "--start-history", "1MiB", "--stacks");
    assertEquals("allocator 1 keeps a history", begun.out().strip(), begun.err());
    Run.of("top", jvm.getNumber(), "--once");
    Run dumped = Run.of("dump", jvm.getNumber(), "-o", folder.toString(), "--stop-history");
    assertEquals(0, dumped.code(), dumped.err());
    Path file = Path.of(dumped.out().strip());
    assertEquals(folder.toAbsolutePath(), file.getParent());
    assertTrue(Files.size(file) > 0);
    Run replayed = Run.of("replay", file.toString());
    assertEquals(0, replayed.code(), replayed.err());
  }

  @Test
  @DisplayName("reports invalid options and a missing folder")
  void wrong() throws IOException {
    Run.of("dump", "--stacks").failed(2, "--stacks needs --start-history SIZE");
    Run.of("dump", "--stop-history", "--start-history", "1MiB").failed(2, "leave one out");
    Path nowhere = folder.resolve("nowhere");
    Run.of("dump", jvm.getNumber(), "-o", nowhere.toString())
        .failed(2, "allocator 1: cannot write " + nowhere);
    Run.of("dump", jvm.getNumber(), "--start-history", "1KiB")
        .failed(2, "allocator 1: a history takes at least 64 KiB");
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
  }
}
