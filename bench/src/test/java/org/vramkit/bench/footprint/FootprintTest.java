package org.vramkit.bench.footprint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("41.1 The footprint of recorded programs")
class FootprintTest {
  private static final Path TRACES = Path.of("..", "traces");

  private static List<String> printed(String... arguments) {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      assertEquals(0, Footprint.execute(arguments));
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  @DisplayName("is printed as tables over virtual memory and over segments, each with the mean")
  void tables() {
    String streams = TRACES.resolve("streams.csv.gz").toString();
    String snapshot = TRACES.resolve("snapshot-a.pickle").toString();
    List<String> lines = printed("--variations", "2", "--passes", "2", streams, snapshot);
    String text = String.join("\n", lines);
    assertTrue(
        text.startsWith("virtual memory, 2 passes, options {}\n\nOver 2 variations: "), text);
    assertTrue(text.contains("\nsegments, 2 passes, options {}\n\nOver 2 variations: "), text);
    List<Double> ratios = ratios(lines, "mean ");
    assertEquals(2, ratios.size(), text);
    assertTrue(ratios.get(0) >= 1 && ratios.get(1) >= 1, text);
    List<Double> program = ratios(lines, "streams.csv.gz ");
    assertEquals(2, program.size(), text);
    assertTrue(program.get(0) < program.get(1), text);
  }

  /** Returns the means of a row in the tables of reserved memory. */
  private static List<Double> ratios(List<String> lines, String row) {
    List<Double> ratios = new ArrayList<>();
    boolean isReserved = false;
    for (String line : lines) {
      isReserved = line.endsWith(": reserved / requested") || (isReserved && !line.isEmpty());
      if (isReserved && line.startsWith(row)) {
        ratios.add(Double.parseDouble(line.split(" +", -1)[1]));
      }
    }
    return ratios;
  }
}
