package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("44.4 The text of a command")
class WidthTest {
  private static final int COLUMNS = 80;
  private static final String STREAMS = Path.of("..", "traces", "streams.csv.gz").toString();
  private static final String LONG_NAME =
      "a-recording-of-a-program-with-a-name-as-people-give-them-in-a-hurry.csv";
  private static final String SMALL =
      """
      action,addr,size,stream,time_us
      alloc,0,3000000,0,0
      alloc,4194304,1000,0,5
      free_completed,0,3000000,0,9
      """;

  @TempDir private Path folder = Path.of("");

  private static void fits(Run run) {
    assertEquals(0, run.code(), run.err());
    assertFits(run.out());
  }

  private static void assertFits(String text) {
    assertTrue(text.lines().count() > 1, text);
    List<String> wide = text.lines().filter(line -> line.length() > COLUMNS).toList();
    assertEquals(List.of(), wide, "wider than " + COLUMNS + " columns");
  }

  private String small() throws IOException {
    return Files.writeString(folder.resolve(LONG_NAME), SMALL).toString();
  }

  @Test
  @DisplayName("44.4 of replay fits 80 columns, with long names, passes and variations too")
  void replay() throws IOException {
    fits(Run.of("replay", STREAMS));
    fits(Run.of("replay", "--repeat", "2", "--variations", "2", small(), STREAMS));
  }

  @Test
  @DisplayName("44.4 of replay names traces in long folders by file, unless two have one name")
  void folders() throws IOException {
    Path deep = Files.createDirectories(folder.resolve("recordings of the year").resolve("one"));
    Path other = Files.createDirectories(folder.resolve("recordings of the year").resolve("two"));
    String same = Files.writeString(deep.resolve("same.csv"), SMALL).toString();
    String twin = Files.writeString(other.resolve("same.csv"), SMALL).toString();
    String file = Files.writeString(deep.resolve("alone.csv"), SMALL).toString();
    Run run = Run.of("replay", "--variations", "2", same, twin, file);
    fits(run);
    List<String> first = run.out().lines().takeWhile(line -> !line.isEmpty()).toList();
    assertTrue(first.stream().anyMatch(line -> line.startsWith("alone.csv  ")), run.out());
    assertTrue(first.stream().noneMatch(line -> line.startsWith("same.csv  ")), run.out());
  }

  @Test
  @DisplayName("44.4 of replay says what is counted, modelled and measured")
  void sources() throws IOException {
    String text = Run.of("replay", small()).out();
    assertTrue(text.contains("Memory at the peak, as the allocator counts it\n"), text);
    assertTrue(text.contains("Driver time, modelled "), text);
    assertTrue(text.contains("measured by this machine's clock"), text);
  }

  @Test
  @DisplayName("44.4 of tune fits 80 columns, and says what is modelled and measured")
  void tune() throws IOException {
    Run run = Run.of("tune", "--device-memory", "1GiB", small());
    fits(run);
    assertTrue(run.out().contains("driver time, modelled"), run.out());
    assertTrue(run.out().contains("measured by this machine's clock"), run.out());
  }

  @Test
  @DisplayName("44.4 of partition fits 80 columns, on many devices too, and is called a forecast")
  void partition() {
    Run few = Run.of("partition", "--units", "1000", "--devices", "261:1000@80GiB,130");
    fits(few);
    assertTrue(few.out().contains("Forecast, modelled "), few.out());
    String many = IntStream.range(1, 65).mapToObj(i -> "100").collect(Collectors.joining(","));
    fits(Run.of("partition", "--units", "1000000000000", "--devices", many));
  }

  @Test
  @DisplayName("44.4 of devices fits 80 columns")
  void devices() {
    fits(Run.of("devices"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "replay",
        "view",
        "tune",
        "check",
        "diff",
        "devices",
        "top",
        "limit",
        "trim",
        "partition",
        "run",
        "shrink"
      })
  @DisplayName("44.4 of every command's help fits 80 columns")
  void help(String command) {
    fits(Run.of(command, "--help"));
  }

  @Test
  @ResourceLock(Resources.SYSTEM_PROPERTIES)
  @DisplayName("44.4 has colours only if picocli finds a terminal that supports them")
  void colours() throws IOException {
    String file = small();
    assertFalse(Run.of("replay", file).out().contains("\u001b["));
    System.setProperty("picocli.ansi", "true");
    try {
      String[] lines = Run.of("replay", file).out().split("\n");
      assertTrue(lines[0].startsWith("\u001b[1mMemory at the peak"), Arrays.toString(lines));
      assertTrue(lines[0].endsWith("\u001b[0m"), Arrays.toString(lines));
    } finally {
      System.clearProperty("picocli.ansi");
    }
  }
}
