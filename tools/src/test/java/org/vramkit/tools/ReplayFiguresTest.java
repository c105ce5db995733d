package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.TraceFiles.SMALL;
import static org.vramkit.tools.TraceFiles.STREAMS;
import static org.vramkit.tools.TraceFiles.file;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code replay} measures, over variations, with the checker and without, and its refusals.
 */
class ReplayFiguresTest {
  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName("42.9 replay reports the first failed allocation with index, time, size and stream")
  void firstRefusal() throws IOException {
    String rows =
        SMALL + "alloc,8388608,9000000,1,11\nalloc,33554432,8000000,3,12\nalloc,67108864,9,3,13\n";
    String file = file(folder, "full.csv", rows);
    Run text = Run.of("replay", "--allocator", "direct", "--device-memory", "12MB", file);
    text.failed(1, "1 allocation failed, the first: allocation 3 of 7.63 MiB on stream 2");
    assertTrue(
        text.out()
            .replaceAll("\\s+", " ")
            .contains(
                " first failed: allocation 3 of 7.63 MiB on stream 2, 0.012 ms into pass 1: the"),
        text.out());
    Run run = Run.of("replay", "--json", "--device-memory", "12MB", "--allocator", "direct", file);
    JsonNode refusal = run.json().get("traces").get(0).get("firstRefusal");
    assertEquals(0, refusal.get("variation").asInt(-1));
    assertEquals(1, refusal.get("pass").asInt());
    assertEquals(3, refusal.get("index").asInt());
    assertEquals(12.0, refusal.get("timeMicros").asDouble());
    assertEquals(8_000_000, refusal.get("size").asLong());
    assertEquals(2, refusal.get("stream").asInt());
    String message = refusal.get("message").asText();
    assertTrue(message.startsWith("the simulated device has 12.00 MiB, less than"), message);
    JsonNode sound = Run.of("replay", "--json", file).json().get("traces").get(0);
    assertTrue(sound.get("firstRefusal").isNull(), sound.toString());
  }

  @Test
  @DisplayName("42.9 a recording larger than the simulated device gets a memory that suffices")
  void largerThanTheDevice() throws IOException {
    String rows =
        """
        action,addr,size,stream,time_us
        alloc,0,107374182400,0,0
        alloc,107374182400,512,0,10
        free_completed,0,107374182400,0,30
        """;
    String file = file(folder, "larger.csv", rows);
    Run run = Run.of("replay", "--variations", "2", file);
    assertEquals(1, run.code());
    Matcher advice =
        Pattern.compile(
                "the simulated device has 80.00 GiB, less than the recording's peak of 100.00 GiB \\(107,374,182,912 bytes\\);"
                    + " --device-memory (\\S+) suffices")
            .matcher(run.err());
    assertTrue(advice.find(), run.err());
    assertFalse(run.out().contains("ask for at most"), run.out());
    assertEquals(0, Run.of("replay", "--device-memory", advice.group(1), file).code());
    Run limited = Run.of("replay", "--option", "limit=50GiB", file);
    limited.failed(1, "with these options no simulated device suffices");
    Run small = Run.of("replay", "--option", "limit=50GiB", "--device-memory", "200GiB", file);
    small.failed(1, "out of memory", "limit");
  }

  @Test
  @DisplayName("41.1 --variations gives mean and worst, in text and JSON; 1 is the trace itself")
  void variations() throws IOException {
    List<String> bare = List.of("replay", "--json", "--checker", "off", "--repeat", "2", STREAMS);
    JsonNode once = Run.of(bare.toArray(new String[0])).json().get("traces").get(0);
    assertEquals(1, once.get("variations").asInt());
    assertEquals(once.get("reservedRatio"), once.get("worstReservedRatio"));
    assertEquals(
        once.get("reservedPeakBytes").asDouble() / once.get("requestedPeakBytes").asDouble(),
        once.get("reservedRatio").asDouble());
    List<String> varied = new ArrayList<>(bare);
    varied.addAll(List.of("--variations", "4"));
    JsonNode four = Run.of(varied.toArray(new String[0])).json().get("traces").get(0);
    assertEquals(4, four.get("variations").asInt());
    assertEquals("off", four.get("checker").asText());
    assertTrue(four.get("hazards").isNull());
    assertEquals(once.get("reservedPeakBytes"), four.get("reservedPeakBytes"));
    assertTrue(
        four.get("worstReservedRatio").asDouble() > four.get("reservedRatio").asDouble(),
        four.toString());
    for (String figure : List.of("driverShare", "misses", "longestDriverNanos")) {
      for (String passes : List.of("first", "later")) {
        JsonNode spread = four.get(figure).get(passes);
        assertTrue(spread.get("worst").asDouble() >= spread.get("mean").asDouble(), figure);
        assertTrue(spread.get("mean").asDouble() > 0, figure);
      }
    }
    Run text = Run.of("replay", "--variations", "2", STREAMS, STREAMS);
    assertTrue(text.out().contains("\nOver 2 variations: reserved / requested\n"), text.out());
    assertTrue(text.out().matches("(?s).*\nmean +1\\.[0-9]{3} +1\\.[0-9]{3}\n.*"), text.out());
  }

  @Test
  @DisplayName("41.1 hazards come from a replay with the checker, figures from one without it")
  void checkerModes() throws IOException {
    JsonNode both = checked("both");
    JsonNode off = checked("off");
    JsonNode on = checked("on");
    assertEquals(0, both.get("hazards").asLong(-1));
    assertEquals(0, on.get("hazards").asLong(-1));
    assertTrue(off.get("hazards").isNull());
    assertEquals(off.get("driverCalls"), both.get("driverCalls"));
    assertEquals(off.get("reservedPeakBytes"), both.get("reservedPeakBytes"));
    assertFalse(on.get("driverCalls").equals(off.get("driverCalls")), "polls answer differently");
  }

  private static JsonNode checked(String mode) throws IOException {
    Run run = Run.of("replay", "--json", "--checker", mode, STREAMS);
    assertEquals(0, run.code(), run.err());
    JsonNode trace = run.json().get("traces").get(0);
    assertEquals(mode, trace.get("checker").asText());
    return trace;
  }

  @Test
  @DisplayName("41.1 --device-memory takes a multiple of each trace's requested peak")
  void multipleOfTheRequest() throws IOException {
    String file = file(folder, "small.csv", SMALL);
    assertEquals(0, Run.of("replay", "--device-memory", "2.5x", file).code());
    Run tight = Run.of("replay", "--device-memory", "0.5x", file);
    tight.failed(1, "allocations failed, the first: allocation 0 of 2.86 MiB");
  }
}
