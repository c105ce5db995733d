package org.vramkit.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("42.28 An out-of-memory snapshot that the disk does not take")
class SnapshotWithoutRoomTest {
  private static final Path SHELL = Path.of("/bin/sh");

  @TempDir private Path folder = Path.of("");

  /** Runs a program that is refused memory once, after a command of the shell. */
  private static List<String> lines(String before, Path folder)
      throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(SHELL), "no shell that limits files");
    Process process =
        new ProcessBuilder(
                SHELL.toString(),
                "-c",
                before + " exec \"$@\"",
                "program",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // These are files too.
                "-XX:-UsePerfData",
                "-Xshare:auto",
                "-Dvramkit.snapshot-on-out-of-memory=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                RefusedProgram.class.getName())
            .redirectErrorStream(true)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), out);
    return out.lines().toList();
  }

  private static void toldAndWentOn(List<String> lines) {
    assertEquals(2, lines.size(), lines::toString);
    assertTrue(
        lines.get(0).contains("; no snapshot for -Dvramkit.snapshot-on-out-of-memory: "),
        lines::toString);
    assertTrue(lines.get(0).startsWith("out of memory on device 0: "), lines::toString);
    assertEquals(RefusedProgram.GOES_ON + "[]", lines.get(1));
  }

  /** A limit of the process ends a file where a full disk would. */
  @Test
  @DisplayName(
      "42.28 halfway, on a full disk, is reported in the error; no part of the" + " file is left")
  void full() throws IOException, InterruptedException {
    List<String> lines = lines("ulimit -f 16;", folder);
    toldAndWentOn(lines);
    assertTrue(lines.get(0).contains("free disk space, or name a writable file"), lines::toString);
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(), left.toList());
    }
    lines("", folder);
    try (Stream<Path> written = Files.list(folder)) {
      Path file = written.findFirst().orElseThrow();
      assertTrue(Files.size(file) > 16 * 1024, "a whole one is larger than the limit");
    }
  }

  @Test
  @DisplayName("42.28 at all, on a read-only disk, is reported in the error with the folder")
  void readOnly() throws IOException, InterruptedException {
    // Also the superuser makes no file there.
    Path nowhere = Path.of("/proc/self");
    assumeTrue(Files.isDirectory(nowhere), "no folder that takes no file from anybody");
    List<String> lines = lines("", nowhere);
    toldAndWentOn(lines);
    assertTrue(lines.get(0).contains("/proc/"), lines::toString);
  }

  @Test
  @DisplayName(
      "42.28 because the folder is not writable, is reported in the error with" + " the folder")
  void notWritable() throws IOException, InterruptedException {
    assumeTrue(folder.toFile().setWritable(false), "permissions that can be set");
    try {
      assumeFalse(Files.isWritable(folder), "the superuser may write everywhere");
      List<String> lines = lines("", folder);
      toldAndWentOn(lines);
      assertTrue(lines.get(0).contains(folder.toString()), lines::toString);
    } finally {
      assertTrue(folder.toFile().setWritable(true));
    }
  }
}
