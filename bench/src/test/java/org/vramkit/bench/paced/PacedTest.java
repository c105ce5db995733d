package org.vramkit.bench.paced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("18.5 Replays at recorded pace, on the simulator")
class PacedTest {
  private static final int BLOCKS = 40;
  private static final int MICROS = 3000;

  @TempDir private Path folder = Path.of("");

  /**
   * Writes a program with blocks of three streams and an event every 3 ms; the last block stays
   * live.
   */
  private Path program() throws IOException {
    StringBuilder rows = new StringBuilder("action,addr,size,stream,time_us\n");
    for (int i = 0; i < BLOCKS; i++) {
      String block = ",%d,%d,%d,".formatted(i << 23, 1000 * (i + 1), i % 3);
      rows.append("alloc").append(block).append(2 * i * MICROS).append('\n');
      if (i + 1 < BLOCKS) {
        rows.append("free_completed").append(block).append((2 * i + 1) * MICROS).append('\n');
      }
    }
    return Files.writeString(folder.resolve("short.csv"), rows);
  }

  private List<JsonNode> run(String... options) throws IOException {
    Path json = folder.resolve("paced.jsonl");
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(List.of("--json", json.toString(), program().toString()));
    assertEquals(0, Paced.execute(arguments.toArray(new String[0])));
    List<JsonNode> runs = new ArrayList<>();
    for (String line : Files.readAllLines(json)) {
      runs.add(new ObjectMapper().readTree(line));
    }
    return runs;
  }

  @Test
  @DisplayName("a stream with more work lags: its memory serves others later")
  void busy() throws IOException {
    double idle = ratio();
    double busy = ratio("--busy", "1GiB");
    assertTrue(busy >= idle, () -> busy + " of the peak, idle " + idle);
  }

  private double ratio(String... options) throws IOException {
    List<String> all =
        new ArrayList<>(List.of("--passes", "1", "--warm-up", "0", "--pace", "recorded"));
    all.addAll(List.of(options));
    return run(all.toArray(new String[0])).get(0).get("first").get("reservedRatio").asDouble();
  }

  @Test
  @DisplayName("each pace has a first pass, and later ones through the same allocator")
  void bothPaces() throws IOException {
    List<JsonNode> runs = run("--passes", "3", "--warm-up", "200");
    assertEquals(2, runs.size());
    int events = 2 * BLOCKS - 1;
    for (JsonNode run : runs) {
      assertEquals("vramkit-sim", run.get("allocator").asText());
      assertEquals("warm", run.get("jvm").asText());
      assertEquals("short", run.get("trace").asText());
      assertEquals(events, run.get("first").get("events").asInt());
      assertEquals(2 * events, run.get("later").get("events").asInt());
      for (JsonNode figures : List.of(run.get("first"), run.get("later"))) {
        assertTrue(figures.get("reservedRatio").asDouble() >= 1, run.toString());
        assertTrue(
            figures.get("p50Nanos").asLong() <= figures.get("p99Nanos").asLong()
                && figures.get("p99Nanos").asLong() <= figures.get("p999Nanos").asLong(),
            run.toString());
        assertEquals(
            figures.get("millis").asDouble() / figures.get("wallMillis").asDouble(),
            figures.get("share").asDouble(),
            1e-9);
      }
    }
    assertEquals("recorded", runs.get(0).get("pace").asText());
    assertEquals("full", runs.get(1).get("pace").asText());
  }

  @Test
  @DisplayName("a pass at recorded pace takes as long as the program, one at full speed less")
  void recordedTime() throws IOException {
    List<JsonNode> runs = run("--passes", "2", "--warm-up", "5000");
    double recorded = runs.get(0).get("recordedMillis").asDouble();
    assertEquals((2 * BLOCKS - 2) * MICROS / 1e3, recorded);
    assertTrue(runs.get(0).get("first").get("wallMillis").asDouble() >= recorded);
    assertTrue(runs.get(0).get("later").get("wallMillis").asDouble() >= recorded);
    assertTrue(runs.get(1).get("later").get("wallMillis").asDouble() < recorded);
  }

  @Test
  @DisplayName("a cold JVM has replayed nothing before, and a single pass has no later ones")
  void cold() throws IOException {
    List<JsonNode> runs = run("--passes", "1", "--warm-up", "0", "--pace", "recorded");
    assertEquals(1, runs.size());
    assertEquals("cold", runs.get(0).get("jvm").asText());
    assertTrue(runs.get(0).get("later").isNull());
  }

  @Test
  @DisplayName("a count of 0 passes is bad usage")
  void noPasses() throws IOException {
    assertEquals(2, Paced.execute("--passes", "0", program().toString()));
  }
}
