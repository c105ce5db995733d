package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.TraceFiles.file;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("For a recording that covers only a part of its program")
class PartialRecordingsCommandTest {
  private static final long MIB = 1 << 20;

  private static final String WEIGHTS =
      "{\"device\":0,\"address\":1099511627776,\"total_size\":1073741824,\"stream\":0,\"blocks\":"
          + "[{\"address\":1099511627776,\"size\":1073741824,\"requested_size\":1073741824,"
          + "\"state\":\"active_allocated\"}]}";

  @TempDir private Path folder = Path.of("");

  private static String entry(String action, int micros) {
    return "{\"action\":\"%s\",\"addr\":4194304,\"size\":33554432,\"stream\":0,\"time_us\":%d}"
        .formatted(action, micros);
  }

  private static String steps() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      text.append(i == 0 ? "" : ",").append(entry("alloc", 2 * i));
      text.append(',').append(entry("free_completed", 2 * i + 1));
    }
    return text.toString();
  }

  private String held() throws IOException {
    return file(
        folder,
        "held.json",
        "{\"segments\":[" + WEIGHTS + "],\"device_traces\":[[" + steps() + "]]}");
  }

  private String moment() throws IOException {
    return file(folder, "moment.json", "{\"segments\":[" + WEIGHTS + "],\"device_traces\":[[]]}");
  }

  @Test
  @DisplayName("42.3 replay includes memory held before in requested and reserved, and says so")
  void replay() throws IOException {
    Run run = Run.of("replay", held());
    assertEquals(0, run.code(), run.err());
    assertTrue(
        run.out()
            .contains(
                "  held before the recording began, and allocated first: 1.00 GiB in 1 block\n"),
        run.out());
    JsonNode trace = Run.of("replay", "--json", held()).json().get("traces").get(0);
    assertEquals(1024 * MIB, trace.get("heldBeforeBytes").asLong());
    assertEquals(1056 * MIB, trace.get("requestedPeakBytes").asLong());
    assertTrue(trace.get("reservedPeakBytes").asLong() >= 1056 * MIB, trace::toString);
  }

  @Test
  @DisplayName(
      "42.3 tune reports that no device suffices if memory held before exceeds all of them")
  void tune() throws IOException {
    Run run = Run.of("tune", "--json", "--device-memory", "2GiB", held());
    assertEquals(0, run.code(), run.err());
    JsonNode trace = run.json().get("traces").get(0);
    assertEquals(1024 * MIB, trace.get("heldBeforeBytes").asLong());
    int sufficient = 0;
    for (JsonNode each : trace.get("combinations")) {
      if (each.get("sufficientDeviceBytes").isNumber()) {
        sufficient++;
        assertTrue(each.get("sufficientDeviceBytes").asLong() >= 1056 * MIB, each::toString);
      }
    }
    assertTrue(sufficient > 0, trace::toString);
    Run small = Run.of("tune", "--device-memory", "1GiB", held());
    small.failed(1, "held.json: every combination ran out of memory");
  }

  @Test
  @DisplayName("42.3 a snapshot of one moment is a page, and refused by replay and tune")
  void moment(@TempDir Path pages) throws IOException {
    String page = pages.resolve("page.html").toString();
    Run view = Run.of("view", "-o", page, moment());
    assertEquals(0, view.code(), view.err());
    assertTrue(view.out().contains("0 events of 1 recording"), view.out());
    for (String command : new String[] {"replay", "tune"}) {
      Run.of(command, moment())
          .failed(
              2,
              "moment.json: is a snapshot of one moment: 1.00 GiB live in 1 block",
              "view",
              "Vramkit's option history",
              "_record_memory_history()");
    }
  }

  @Test
  @DisplayName("42.6 each device is replayed and shown separately")
  void devices() throws IOException {
    String large = steps().replace("33554432", "1073741824");
    String file =
        file(
            folder,
            "two.json",
            "{\"segments\":[],\"device_traces\":[[" + steps() + "],[" + large + "]]}");
    JsonNode traces = Run.of("replay", "--json", file).json().get("traces");
    assertEquals(2, traces.size());
    assertEquals(file + ", device 0", traces.get(0).get("trace").asText());
    assertEquals(32 * MIB, traces.get(0).get("requestedPeakBytes").asLong());
    assertEquals(1024 * MIB, traces.get(1).get("requestedPeakBytes").asLong());
    Run view = Run.of("view", "-o", folder.resolve("page.html").toString(), file);
    assertTrue(view.out().contains("80 events of 2 recordings"), view.out());
  }
}
