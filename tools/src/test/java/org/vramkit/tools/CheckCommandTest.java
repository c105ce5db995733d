package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.TraceFiles.file;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("vramkit check")
class CheckCommandTest {
  /** A peak of 4 MiB requested and 6 MiB reserved. */
  private static final String RECORDING =
      """
      action,addr,size,stream,time_us,tag
      segment_map,1048576,6291456,0,0,
      alloc,1048576,4194304,0,1,weights
      free_completed,1048576,4194304,0,5,weights
      """;

  @TempDir private Path folder = Path.of("");

  private String recording(String name, String text) throws IOException {
    return file(folder, name, text);
  }

  @Test
  @DisplayName("passes a recording whose peaks are at the limits")
  void passes() throws IOException {
    String file = recording("a.csv", RECORDING);
    Run run =
        Run.of(
            "check",
            file,
            "--baseline",
            file,
            "--max-peak=6MiB",
            "--max-ratio=1.5",
            "--max-growth=0%");
    assertEquals(0, run.code(), run.err());
    assertEquals("", run.err());
    assertTrue(run.out().contains("  4.00 MiB  6.00 MiB  1.5000  none\n"), run.out());
    assertTrue(run.out().contains("  4.00 MiB  6.00 MiB  1.5000  baseline\n"), run.out());
  }

  @Test
  @DisplayName("ends with 1 and prints one line for each broken rule")
  void breaksEachRule() throws IOException {
    String before = recording("before.csv", RECORDING);
    String after =
        recording(
            "after.csv",
            RECORDING
                .replace("1048576,6291456", "1048576,10485760")
                .replace(",4194304,", ",4194305,"));
    Run run =
        Run.of(
            "check",
            after,
            "--baseline",
            before,
            "--max-peak=4MiB",
            "--max-ratio=2.49",
            "--max-growth=0");
    assertEquals(1, run.code());
    List<String> lines = run.err().lines().toList();
    assertEquals(
        List.of(
            "vramkit: "
                + after
                + ": --max-peak 4MiB is exceeded: requested 4.00 MiB (4,194,305 bytes), reserved"
                + " 10.00 MiB (10,485,760 bytes); most by weights: 4.00 MiB",
            "vramkit: " + after + ": --max-ratio 2.49 is exceeded: reserved / requested is 2.5000",
            "vramkit: "
                + after
                + ": --max-growth 0% is exceeded: requested 4.00 MiB (4,194,305 bytes), 0.01 %"
                + " over 4.00 MiB (4,194,304 bytes) of the baseline, reserved 10.00 MiB"
                + " (10,485,760 bytes), 66.67 % over 6.00 MiB (6,291,456 bytes) of the baseline; most by"
                + " weights: +1 B"),
        lines);
    assertTrue(run.out().contains("max-peak, max-ratio,\n"), run.out());
    run.out().lines().forEach(line -> assertTrue(line.length() <= 80, line));
  }

  @Test
  @DisplayName("prints the same figures and broken rules as JSON")
  void json() throws IOException {
    String file = recording("a.csv", RECORDING);
    Run run = Run.of("check", "--json", file, "--max-peak=5MiB", "--max-ratio=2");
    assertEquals(1, run.code());
    JsonNode all = run.json();
    assertFalse(all.get("passed").asBoolean());
    JsonNode checked = all.get("recordings").get(0);
    List<String> keys = new ArrayList<>();
    checked.fieldNames().forEachRemaining(keys::add);
    assertEquals(
        List.of(
            "recording",
            "format",
            "requestedPeakBytes",
            "reservedPeakBytes",
            "reservedRatio",
            "repairs",
            "notInRecording",
            "baseline",
            "broken"),
        keys);
    assertEquals(4 << 20, checked.get("requestedPeakBytes").asLong());
    assertEquals(6 << 20, checked.get("reservedPeakBytes").asLong());
    assertEquals(1.5, checked.get("reservedRatio").asDouble());
    assertTrue(checked.get("baseline").isNull());
    assertEquals(1, checked.get("broken").size());
    assertEquals("max-peak", checked.get("broken").get(0).get("rule").asText());
    String message = checked.get("broken").get(0).get("message").asText();
    assertTrue(run.err().contains(message), run.err());
  }

  @Test
  @DisplayName("limits only the requested peak of a recording without reserved memory")
  void withoutReserved() throws IOException {
    String file = recording("plain.csv", TraceFiles.SMALL);
    assertEquals(0, Run.of("check", file, "--max-peak=3MB").code());
    Run.of("check", file, "--max-peak=2MiB").failed(1, "requested 2.86 MiB");
    Run.of("check", file, "--max-ratio=2")
        .failed(2, "--max-ratio", "plain.csv (csv) does not have all reserved memory", "leave");
    // A history that begins after most segments were mapped.
    String late = recording("late.csv", RECORDING.replace(",6291456,", ",1048576,"));
    assertEquals(0, Run.of("check", late, "--max-peak=4MiB").code());
  }

  @Test
  @DisplayName("checks each device of a snapshot against the same device of the baseline")
  void devices() throws IOException {
    String entry = "{\"action\":\"alloc\",\"addr\":4096,\"size\":%d,\"stream\":0}";
    String both = "{\"device_traces\":[[" + entry + "],[" + entry + "]]}";
    String before = recording("before.json", both.formatted(1000, 2000));
    String after = recording("after.json", both.formatted(1000, 2021));
    Run.of("check", after, "--baseline", before, "--max-growth=1%")
        .failed(1, "after.json, device 1: --max-growth 1% is exceeded", "1.05 % over");
    String one = recording("one.csv", RECORDING);
    Run.of("check", one, "--baseline", before, "--max-growth=1%")
        .failed(2, "--baseline", "has 2 and", "record the same devices");
  }

  @Test
  @DisplayName("reads the recordings of others: RMM's log and PyTorch's snapshot")
  void formats() {
    String rmm = Path.of("..", "traces", "rmm-a.csv.gz").toString();
    String snapshot = Path.of("..", "traces", "snapshot-a.pickle").toString();
    Run.of("check", rmm, "--max-peak=1").failed(1, "rmm-a.csv.gz: --max-peak 1B is exceeded");
    Run.of("check", snapshot, "--max-peak=1").failed(1, "requested ", ", reserved ");
    Run same = Run.of("check", snapshot, "--baseline", rmm, "--max-growth=999999999%");
    assertEquals(0, same.code(), same.err());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--max-peak=lots | not a size: 'lots'",
        "--max-ratio=0.99 | must be a number of at least 1, such as 1.25, not '0.99'",
        "--max-ratio=1e3 | not '1e3'",
        "--max-growth=-1% | must be a percentage of at least 0, such as 5%, not '-1%'",
        "--max-growth=5% | --max-growth needs --baseline FILE",
        "--baseline=x.csv | --baseline needs --max-growth P%; add it, such as 0%",
        "--json | no rule is given; add --max-peak SIZE, --max-ratio R, or --baseline"
      })
  @DisplayName("refuses bad options in one line that names the remedy")
  void badOptions(String option, String message) throws IOException {
    Run.of("check", recording("a.csv", RECORDING), option).failed(2, message);
  }

  @Test
  @DisplayName("refuses unreadable files and more than one file")
  void badFiles() throws IOException {
    String good = recording("a.csv", RECORDING);
    String none = folder.resolve("none").toString();
    Run.of("check", none, "--max-peak=1GiB").failed(2, "no such file");
    Run.of("check", good, "--baseline", none, "--max-growth=1").failed(2, "no such file");
    Run.of("check", good, good, "--max-peak=1GiB").failed(2, good, "--help");
    Run.of("check", "--max-peak=1GiB").failed(2, "FILE", "see vramkit check --help");
    Run.of("check", recording("bad.csv", "x"), "--max-peak=1").failed(2, "no known format");
  }
}
