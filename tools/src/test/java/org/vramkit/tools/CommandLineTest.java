package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.vramkit.tools.TraceFiles.SMALL;
import static org.vramkit.tools.TraceFiles.STREAMS;
import static org.vramkit.tools.TraceFiles.file;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line in this process: output, errors and exit codes. */
class CommandLineTest {
  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName("replay prints its table and exits with 0")
  void table() throws IOException {
    Run run = Run.of("replay", file(folder, "small.csv", SMALL));
    assertEquals(0, run.code(), run.err());
    assertEquals("", run.err());
    assertTrue(run.out().contains("requested "), run.out());
    assertTrue(run.out().contains("2.86 MiB"), run.out());
    assertTrue(run.out().contains("(csv) through caching on sim"), run.out());
  }

  @Test
  @DisplayName("replay --json prints one document with exactly the agreed keys, in order")
  void jsonKeys() throws IOException {
    Run run = Run.of("replay", "--json", "--repeat", "2", STREAMS);
    assertEquals(0, run.code(), run.err());
    JsonNode trace = run.json().get("traces").get(0);
    List<String> keys = new ArrayList<>();
    trace.fieldNames().forEachRemaining(keys::add);
    assertEquals(
        List.of(
            "trace",
            "format",
            "backend",
            "allocator",
            "variations",
            "checker",
            "events",
            "allocations",
            "failedAllocations",
            "firstRefusal",
            "recordedMillis",
            "requestedPeakBytes",
            "reservedPeakBytes",
            "reservedRatio",
            "worstReservedRatio",
            "driverShare",
            "misses",
            "longestDriverNanos",
            "driverCalls",
            "estimatedDriverMicros",
            "driverMicros",
            "nanosPerEvent",
            "steadyNanosPerEvent",
            "passes",
            "hazards",
            "recordedFailures",
            "repairs",
            "heldBeforeBytes",
            "notInRecording"),
        keys);
    assertEquals(1_932_010_384L, trace.get("requestedPeakBytes").asLong());
    assertEquals(0, trace.get("failedAllocations").asLong());
    assertEquals(0, trace.get("hazards").asLong());
    assertTrue(trace.get("reservedRatio").asDouble() >= 1);
    assertTrue(trace.get("driverCalls").size() > 0);
    assertFalse(trace.get("driverCalls").has("cuLaunchKernel"));
    assertFalse(trace.get("driverCalls").has("cuStreamCreate"));
    assertTrue(trace.get("estimatedDriverMicros").asDouble() > 0);
    assertTrue(trace.get("nanosPerEvent").asDouble() > 0);
    assertTrue(trace.get("steadyNanosPerEvent").asDouble() > 0);
  }

  @Test
  @DisplayName("18.7 replay --json has the figures of each pass, and how long the program took")
  void jsonPasses() throws IOException {
    Run run = Run.of("replay", "--json", "--repeat", "2", STREAMS);
    assertEquals(0, run.code(), run.err());
    JsonNode trace = run.json().get("traces").get(0);
    assertEquals(328.0, trace.get("recordedMillis").asDouble(), 0.1);
    assertEquals(2, trace.get("passes").size());
    assertTrue(trace.get("passes").get(0).get("driverCalls").get("cuMemCreate").asLong() > 0);
    double millis = 0;
    for (JsonNode pass : trace.get("passes")) {
      List<String> keys = new ArrayList<>();
      pass.fieldNames().forEachRemaining(keys::add);
      assertEquals(
          List.of(
              "driverCalls",
              "driverMillis",
              "nanosPerEvent",
              "longestNanos",
              "longestDriverNanos",
              "reservedPeakBytes"),
          keys);
      assertTrue(pass.get("longestNanos").asDouble() > pass.get("nanosPerEvent").asDouble());
      millis += pass.get("driverMillis").asDouble();
    }
    assertEquals(trace.get("estimatedDriverMicros").asDouble() / 1e3, millis, 1e-6);
    assertEquals(
        trace.get("reservedPeakBytes").asLong(),
        trace.get("passes").get(1).get("reservedPeakBytes").asLong());
    assertEquals(
        trace.get("nanosPerEvent").asDouble(),
        trace.get("passes").get(0).get("nanosPerEvent").asDouble());
  }

  @Test
  @DisplayName("18.7 replay prints the cost of the first and the last pass")
  void passesInText() throws IOException {
    String first = String.join("\n", SMALL.lines().limit(2).toList());
    String moment = Run.of("replay", file(folder, "moment.csv", first)).out();
    assertTrue(moment.matches("(?s).*\\S  first +[0-9]+ +[0-9.]+ +- +[0-9]+\n.*"), moment);
    assertFalse(moment.contains("no % of run"), moment);
    String small = file(folder, "small.csv", SMALL);
    String once = Run.of("replay", small).out();
    assertTrue(once.contains("no % of run: the recording lasts 0.009 ms, less than 10 ms"), once);
    assertFalse(once.contains("  last "), once);
    String twice = Run.of("replay", "--repeat", "2", small).out();
    assertTrue(twice.matches("(?s).*\\S  last +0 +0.00 +- +0\n.*"), twice);
    String long9 =
        Run.of("replay", file(folder, "nine.csv", SMALL.replace(",9\n", ",9999\n"))).out();
    assertTrue(long9.contains("the recording lasts 9.999 ms"), long9);
    String long10 =
        Run.of("replay", file(folder, "ten.csv", SMALL.replace(",9\n", ",10000\n"))).out();
    assertTrue(long10.matches("(?s).*  first +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9]+\n.*"), long10);
  }

  @Test
  @DisplayName("A bad file is reported in one line; good ones are printed; the exit code is 2")
  void badAmongGood() throws IOException {
    String bad = file(folder, "bad.csv", SMALL + "free_completed,77,1,0,10\n");
    Run run = Run.of("replay", "--json", bad, file(folder, "small.csv", SMALL));
    run.failed(2, "bad.csv:5", "0x4d");
    assertEquals(1, run.json().get("traces").size());
  }

  @Test
  @DisplayName("Repairs are in the table and in JSON")
  void repairs() throws IOException {
    String text =
        "{\"device_traces\":[[{\"action\":\"free_completed\",\"addr\":1,\"size\":2,\"stream\":0},"
            + "{\"action\":\"alloc\",\"addr\":1,\"size\":2,\"stream\":0}]]}";
    String file = file(folder, "snapshot.json", text);
    assertTrue(Run.of("replay", file).out().contains("repairs: unknownFrees 1"));
    JsonNode trace = Run.of("replay", "--json", file).json().get("traces").get(0);
    assertEquals("{\"unknownFrees\":1}", trace.get("repairs").toString());
  }

  @Test
  @DisplayName("Failed allocations are counted and reported in one line; the exit code is 1")
  void failedAllocations() throws IOException {
    Run run = Run.of("replay", "--json", "--device-memory", "256MiB", STREAMS);
    run.failed(1, "allocations failed");
    assertTrue(run.json().get("traces").get(0).get("failedAllocations").asLong() > 0);
  }

  @ParameterizedTest
  @DisplayName("Every allocator replays without a hazard or a leak")
  @ValueSource(strings = {"caching", "native", "stream-ordered", "direct"})
  void allocators(String name) throws IOException {
    Run run = Run.of("replay", "--json", "--allocator", name, STREAMS);
    assertEquals(0, run.code(), run.err());
    assertEquals(name, run.json().get("traces").get(0).get("allocator").asText());
  }

  @Test
  @DisplayName("Bad usage is one line and exit code 2")
  void badUsage() throws IOException {
    String good = file(folder, "small.csv", SMALL);
    Run.of("replay").failed(2, "TRACE", "--help");
    Run.of("replay", "--allocator", "magic", good).failed(2, "'magic'", "caching");
    Run.of("replay", "--option", "colour=red", good).failed(2, "'colour'", "virtual-memory");
    Run.of("replay", "--option", "limit=red", good).failed(2, "limit", "red");
    Run.of("replay", "--option", "limit=red", good).failed(2, "512KiB, 8GiB");
    Run.of("replay", "--option", "history=1KiB", good).failed(2, "64 KiB, not 1.00 KiB");
    Run.of("replay", "--option", "decay=1e400", good).failed(2, "10000 days, not 1e400 s");
    Run.of("replay", "--option", "limit=99999999999999999999", good).failed(2, "2^63 - 1");
    Run.of("replay", "--option", "move-time=1f", good)
        .failed(2, "move-time takes 0 to 1, not '1f'");
    Run.of("replay", "--option", "limit", good).failed(2, "Value for option '--option'");
    Run.of("replay", "--allocator", "direct", "--option", "limit=1", good).failed(2, "caching");
    Run.of("replay", "--device-memory", "lots", good).failed(2, "lots");
    Run.of("replay", "--device-memory", "0", good).failed(2, "at least 1B and at most 8TiB");
    Run.of("replay", "--device-memory", "8388607TiB", good).failed(2, "--device-memory", "8TiB");
    Run.of("replay", "--device-memory", "0x", good).failed(2, "more than 0x and at most 100x");
    Run.of("replay", "--device-memory", "101x", good).failed(2, "at most 100x, not 101x");
    Run.of("replay", "--device-memory", "1,05x", good)
        .failed(2, "'1,05x'; write one such as 1.05x");
    Run.of("replay", "--device-memory", "8193GiB", good).failed(2, "(8,797,166,764,032 bytes)");
    Run.of("replay", "").failed(2, "file name is empty");
    Run.of("replay", "--repeat", "0", good).failed(2, "--repeat");
    Run.of("replay", "--variations", "0", good).failed(2, "--variations", "from 1 to 1000");
    Run.of("replay", "--checker", "maybe", good).failed(2, "--checker", "BOTH", "maybe");
    Run.of("replay", "--checker", "on", "--backend", "jcuda", good)
        .failed(2, "--checker", "jcuda", "leave it out");
    Run missing = Run.of("replay", "--backend=cuda", good);
    missing.failed(2, "--backend: no backend is named 'cuda'; there are: ", ", sim");
    assertFalse(missing.err().contains("Backends.open"), missing.err());
    Run unusable = Run.of("replay", "--backend=jcuda", good);
    if (unusable.code() != 0) {
      unusable.failed(2, "--backend: 'jcuda' cannot be used here: ", "choose another of: ", "sim");
      assertFalse(unusable.err().contains("Backends.open"), unusable.err());
    }
    Run.of("replay", "--backend", "jcuda", "--device-memory", "1GiB", good).failed(2, "jcuda");
    Run.of("replay", folder.toString()).failed(2, "directory");
    Run.of("replay", folder.resolve("none").toString()).failed(2, "no such file");
  }

  @Test
  @DisplayName("--device-memory serves the caching allocator up to its bound")
  void largestDevice() throws IOException {
    Run run = Run.of("replay", "--device-memory", "8TiB", file(folder, "small.csv", SMALL));
    assertEquals(0, run.code(), run.err());
  }

  @Test
  @DisplayName("--html is checked before the replay, and only overwrites a page")
  void badHtml() throws IOException {
    String good = file(folder, "small.csv", SMALL);
    String precious = file(folder, "precious.csv", SMALL);
    Run.of("replay", "--html", folder.toString(), good).failed(2, "--html", "directory");
    Run.of("replay", "--html", "", good).failed(2, "--html", "empty");
    Run missing = Run.of("replay", "--html", folder.resolve("no/page.html").toString(), good);
    missing.failed(2, "does not exist");
    assertEquals("", missing.out());
    Run.of("replay", "--html", precious, good).failed(2, "precious.csv", "not an HTML page");
    // Only writing tells that this cannot be.
    String unwritable = folder.resolve("n".repeat(300)).toString();
    Run failed = Run.of("replay", "--html", unwritable, good);
    assertTrue(failed.err().contains("nnn: File name too long"), failed.err());
    assertEquals(SMALL, Files.readString(Path.of(precious)));
    String page = folder.resolve("page.html").toString();
    assertEquals(0, Run.of("replay", "--html", page, good).code());
    assertEquals(0, Run.of("replay", "--html", page, good).code());
  }

  @Test
  @DisplayName("17.24 an error on a full disk names the file")
  void pageOnFullDisk() throws IOException {
    String full = "/dev/full";
    assumeTrue(Files.exists(Path.of(full)), "a device that is always full");
    Run failed = Run.of("replay", "--html", full, file(folder, "small.csv", SMALL));
    assertEquals(1, failed.code());
    assertTrue(failed.err().contains("--html: cannot write /dev/full: No space"), failed.err());
  }

  @Test
  @DisplayName("A file's name reaches the terminal without its control characters, JSON in full")
  void oddNames() throws IOException {
    String odd = file(folder, "a\nb\u001b[31m.csv", SMALL);
    Run.of("replay", odd + "x").failed(2, "no such file", "b?[31m.csv");
    Run run = Run.of("replay", odd);
    assertTrue(run.out().contains("a?b?[31m.csv"), run.out());
    assertFalse(run.out().contains("\u001b"), run.out());
    JsonNode trace = Run.of("replay", "--json", odd).json().get("traces").get(0);
    assertEquals(odd, trace.get("trace").asText());
  }

  @Test
  @DisplayName("--html writes one page without external references or markup from input")
  void html() throws IOException {
    Path page = folder.resolve("page.html");
    String odd = file(folder, "a&b.csv", SMALL);
    assertEquals(0, Run.of("replay", "--html", page.toString(), odd).code());
    String text = Files.readString(page);
    assertTrue(text.contains("echarts"));
    assertTrue(text.contains("default-src 'none'"));
    assertFalse(text.contains("a&b.csv"), "names of files are among the packed data only");
    assertFalse(text.contains("<script src") || text.contains("<link"), "all must be inside");
  }

  @Test
  @DisplayName("A failure to write results to standard output is reported in one line")
  void fullDisk() throws IOException {
    String good = file(folder, "small.csv", SMALL);
    Run.to(Run.broken("No space left on device"), "replay", good).failed(1, "No space left");
    Run.to(Run.broken("No space left on device"), "devices", "--json").failed(1, "standard output");
    Run.to(Run.broken("No space left on device"), "--help").failed(1, "standard output");
  }

  @Test
  @DisplayName("A reader that closes the pipe, such as head, is no failure")
  void closedPipe() throws IOException {
    Run run = Run.to(Run.broken("Broken pipe"), "replay", file(folder, "small.csv", SMALL));
    assertEquals(0, run.code());
    assertEquals("", run.err());
  }

  @Test
  @DisplayName("devices lists the simulator with its reason and its devices, and exits with 0")
  void devices() throws IOException {
    Run text = Run.of("devices");
    assertEquals(0, text.code(), text.err());
    assertEquals("", text.err());
    assertTrue(text.out().contains("sim"), text.out());
    JsonNode json = Run.of("devices", "--json").json();
    JsonNode device = json.get("devices").get(0);
    assertEquals("sim", device.get("backend").asText());
    double gigahertz = device.get("clockKilohertz").asInt() / 1e6;
    assertEquals(
        device.get("multiprocessors").asInt() * gigahertz, device.get("score").asDouble(), 1e-6);
    assertTrue(json.get("backends").get(0).hasNonNull("reason"));
  }

  @Test
  @DisplayName("Help lists every flag, every allocator and every option of the caching allocator")
  void help() {
    Run run = Run.of("replay", "--help");
    assertEquals(0, run.code());
    for (String part :
        new String[] {
          "--backend",
          "--device-memory",
          "--repeat",
          "--variations",
          "--checker",
          "--option",
          "--allocator",
          "--json",
          "--html",
          "stream-ordered",
          "virtual-memory"
        }) {
      assertTrue(run.out().contains(part), () -> "lacks " + part + ": " + run.out());
    }
  }
}
