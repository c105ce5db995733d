package org.vramkit.bench.footprint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
  @DisplayName("is a table over virtual memory and one over segments, each with the mean")
  void tables() {
    String streams = TRACES.resolve("streams.csv.gz").toString();
    String snapshot = TRACES.resolve("snapshot-a.pickle").toString();
    List<String> lines = printed("--variations", "2", "--passes", "2", streams, snapshot);
    String text = String.join("\n", lines);
    assertTrue(text.startsWith("virtual memory, 2 passes, options {}\n\n2 variations "), text);
    assertTrue(text.contains("\nsegments, 2 passes, options {}\n\n2 variations "), text);
    List<String> means = lines.stream().filter(line -> line.startsWith("mean ")).toList();
    List<Double> ratios = means.stream().map(line -> column(line, 1)).toList();
    assertEquals(2, ratios.size(), text);
    assertTrue(ratios.get(0) >= 1 && ratios.get(1) >= 1, text);
    List<String> programs =
        lines.stream().filter(line -> line.startsWith("streams.csv.gz ")).toList();
    assertEquals(2, programs.size(), text);
    assertTrue(column(programs.get(0), 1) < column(programs.get(1), 1), text);
  }

  private static double column(String line, int column) {
    return Double.parseDouble(line.split(" +", -1)[column]);
  }
}
