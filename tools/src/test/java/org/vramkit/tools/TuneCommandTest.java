package org.vramkit.tools;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.TraceFiles.file;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code view} and {@code tune} in this process: output, errors and exit codes. */
class TuneCommandTest {
  private static final String SMALL =
      """
      action,addr,size,stream,time_us
      alloc,0,3000000,0,0
      alloc,4194304,1000,0,5
      free_completed,0,3000000,0,9
      """;

  @TempDir private Path folder = Path.of("");

  private String page(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  @DisplayName("22.6 tune prints the best, the effect of each option and code to paste")
  void table() throws IOException {
    Run run = Run.of("tune", "--device-memory", "1GiB", file(folder, "small.csv", SMALL));
    assertEquals(0, run.code(), run.err());
    String words = run.out().replaceAll("\\s+", " ");
    assertTrue(words.contains("the best of 57 combinations on 1.00 GiB"), run.out());
    assertTrue(run.out().contains("Effect of each option alone"), run.out());
    assertTrue(run.out().contains(".builder(device)"), run.out());
    assertEquals(1, run.out().lines().filter(line -> line.equals("Recommended")).count());
    assertTrue(run.out().contains("suffices"), run.out());
    String toPaste = words.substring(words.indexOf("To paste"));
    assertTrue(
        toPaste.contains(" stream-ordered: StreamOrderedPool.builder(device).build()"), run.out());
  }

  @Test
  @DisplayName("22.7 view says which file it wrote, and whether it replaced an earlier page")
  void replacesItsPage() throws IOException {
    String trace = file(folder, "small.csv", SMALL);
    Run first = Run.of("view", "-o", page("view.html"), trace);
    assertFalse(first.out().contains("(replaced)"), first.out());
    Run second = Run.of("view", "-o", page("view.html"), trace);
    assertTrue(second.out().startsWith(page("view.html") + ": 3 events"), second.out());
    assertTrue(second.out().strip().endsWith("(replaced)"), second.out());
  }

  @Test
  @DisplayName("22.6 tune --json has every combination with exactly the agreed keys")
  void json() throws IOException {
    Run run =
        Run.of(
            "tune",
            "--json",
            "--html",
            page("p.html"),
            "--try",
            "decay=1,2",
            file(folder, "s.csv", SMALL));
    assertEquals(0, run.code(), run.err());
    JsonNode all = run.json().get("traces").get(0).get("combinations");
    List<String> keys = new ArrayList<>();
    all.get(0).fieldNames().forEachRemaining(keys::add);
    assertEquals(
        List.of(
            "allocator",
            "options",
            "best",
            "recommended",
            "reservedPeakBytes",
            "reservedRatio",
            "driverMillis",
            "driverCalls",
            "failedAllocations",
            "nanosPerEvent",
            "fastestNanosPerEvent",
            "slowestNanosPerEvent",
            "sufficientDeviceBytes",
            "problem",
            "code"),
        keys);
    assertTrue(all.size() > 100);
    assertTrue(Files.size(folder.resolve("p.html")) > 1_000_000);
  }

  @Test
  @DisplayName("42.29 tune --try takes values with commas, separated by semicolons")
  void valuesWithCommas() throws IOException {
    for (String list : new String[] {"history=1MiB,stacks;", "history=1MiB,stacks;64KiB"}) {
      Run run = Run.of("tune", "--json", "--try", list, file(folder, "s.csv", SMALL));
      assertEquals(0, run.code(), run.err());
      boolean isTried = false;
      for (JsonNode each : run.json().get("traces").get(0).get("combinations")) {
        isTried |= each.get("options").path("history").asText().equals("1MiB,stacks");
      }
      assertTrue(isTried, run.out());
    }
  }

  @Test
  @DisplayName("22.6 bad usage of tune and view is one line and exit code 2")
  void badUsage() throws IOException {
    String good = file(folder, "small.csv", SMALL);
    Run.of("tune").failed(2, "TRACE");
    Run.of("tune", "--try", "colour=red", good).failed(2, "--try: ", "'colour'", "move-time");
    Run.of("tune", "--try", "history=1MiB,stacks", good).failed(2, "--try: ", "stacks");
    Run.of("tune", "--try", "move-time=7", good).failed(2, "--try: move-time must be");
    String many = IntStream.range(0, 1000).mapToObj(Integer::toString).collect(joining(","));
    String[] options = {"limit", "decay", "initial", "thread-cache", "history"};
    List<String> call = new ArrayList<>(List.of("tune"));
    for (String option : options) {
      call.addAll(List.of("--try", option + "=" + many));
    }
    call.add(good);
    Run.of(call.toArray(new String[0]))
        .failed(2, "--try makes ", " combinations; at most 5000 are tried: name fewer values");
    System.setProperty("vramkit.allocator.limit", "much");
    try {
      Run.of("tune", good).failed(2, "vramkit.allocator.limit", "much");
    } finally {
      System.clearProperty("vramkit.allocator.limit");
    }
    Run.of("tune", "--try", "initial=1GiB,900GiB", good).failed(2, "option initial", "900.00 GiB");
    Run.of("tune", "--threads", "0", good).failed(2, "--threads");
    Run.of("tune", "--device-memory", "lots", good).failed(2, "lots");
    Run.of("tune", "--device-memory", "0", good).failed(2, "--device-memory", "8TiB");
    Run.of("tune", "--device-memory", "10TiB", good).failed(2, "--device-memory", "8TiB");
    Run.of("tune", "--html", good, good).failed(2, "--html", "not an HTML page");
    Run.of("view", "--output", good, good).failed(2, "--output", "not an HTML page");
    Run.of("view").failed(2, "FILE");
  }

  @Test
  @DisplayName("22.7 bad files are one line in view and tune; good ones beside them are shown")
  void badFiles() throws IOException {
    String bad = file(folder, "bad.csv", SMALL + "free_completed,77,1,0,10\n");
    String good = file(folder, "small.csv", SMALL);
    Run.of("tune", bad).failed(2, "bad.csv:5", "0x4d");
    Run.of("view", "-o", page("none.html"), bad).failed(2, "bad.csv:5", "0x4d");
    assertFalse(Files.exists(folder.resolve("none.html")));
    Run both = Run.of("view", "-o", page("one.html"), bad, good);
    both.failed(2, "bad.csv:5");
    assertTrue(both.out().contains("3 events of 1 recording"), both.out());
    assertTrue(Files.exists(folder.resolve("one.html")));
  }

  @Test
  @DisplayName("22.6 a program that fits no device is a failed run with a message")
  void nothingFits() throws IOException {
    Run run = Run.of("tune", "--device-memory", "1MiB", file(folder, "small.csv", SMALL));
    run.failed(1, "ran out of memory", "--device-memory");
  }
}
