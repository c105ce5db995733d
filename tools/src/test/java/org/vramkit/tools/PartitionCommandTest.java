package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S5: vramkit partition")
class PartitionCommandTest {

  @Test
  @DisplayName("S5.4 tiles by score, as text")
  void text() {
    Run run = Run.of("partition", "--units", "100", "--devices", "1,1,1", "--largest-remainder");
    assertEquals(0, run.code(), run.err());
    assertTrue(run.out().matches("(?s).*0 +0 +0 +34 +34\\R.*0 +2 +67 +100 +33\\R.*"), run.out());
    assertTrue(run.out().contains("guided"), run.out());
  }

  @Test
  @DisplayName("25 wrong scores make a plan wait, and guided chunks hardly, as JSON")
  void json() throws IOException {
    JsonNode root =
        Run.of("partition", "--units", "4096", "--devices", "3:1,1:3,2:2", "--json").json();
    assertEquals(4096, root.get("units").asLong());
    assertEquals(3, root.get("devices").size());
    assertEquals(3, root.get("devices").get(1).get("unitsPerSecond").asDouble());
    assertTrue(root.get("planned").get("efficiency").asDouble() < 0.4, root.toString());
    assertTrue(root.get("guided").get("efficiency").asDouble() > 0.95, root.toString());
    long next = 0;
    for (JsonNode chunk : root.get("guided").get("chunks")) {
      assertEquals(next, chunk.get("from").asLong());
      next = chunk.get("to").asLong();
    }
    assertEquals(4096, next);
  }

  @Test
  @DisplayName(
      "13, 14 scarce memory leads to rounds, and a device without room for a unit is skipped")
  void memory() throws IOException {
    JsonNode root =
        Run.of(
                "partition",
                "--units=10",
                "--devices=1@8GiB,1@1GiB",
                "--bytes-per-unit=1GiB",
                "--json")
            .json();
    assertEquals(3, root.get("rounds").size());
    assertEquals(1, root.get("skipped").size());
    Run.of("partition", "--units=1", "--devices=1@8GiB", "--bytes-per-unit=5GiB")
        .failed(2, "5.00 GiB", "4.00 GiB");
  }

  @Test
  @DisplayName("devices default to those of the backend; bad usage is one line")
  void usage() {
    assertEquals(0, Run.of("partition", "--units", "10").code());
    Run.of("partition").failed(2, "--units");
    Run.of("partition", "--units=-1", "--devices=1")
        .failed(2, "from 0 to 9223372036854775807, not '-1'");
    Run.of("partition", "--units=1", "--devices=x").failed(2, "not a number");
    Run.of("partition", "--units=1", "--devices=-1").failed(2, "out of range");
    Run.of("partition", "--units=1", "--devices=0").failed(2, "needs a rate");
    Run.of("partition", "--units=1", "--devices=,")
        .failed(2, "--devices is empty", "261:1000@80GiB");
    Run.of("partition", "--units=1", "--devices=1@0")
        .failed(2, "--devices", "at least 1B", "0 bytes");
    Run.of("partition", "--units=1", "--devices=1,1@9TiB")
        .failed(2, "--devices", "8TiB", "9.00 TiB");
    Run.of("partition", "--units=" + Long.MAX_VALUE, "--devices=1,2")
        .failed(2, "cannot forecast", "longer than 53375 days");
    Run.of("partition", "--units=1", "--devices=1@2@3").failed(2, "SCORE[:RATE][@MEMORY]");
  }
}
