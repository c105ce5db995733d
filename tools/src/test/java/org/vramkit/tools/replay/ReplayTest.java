package org.vramkit.tools.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.Traces;

class ReplayTest {
  private static final String HEADER = "action,addr,size,stream,time_us\n";

  private static ReplayOptions options(String allocator, int repeat) {
    return options(allocator, Map.of(), repeat);
  }

  private static ReplayOptions options(String allocator, Map<String, String> keys, int repeat) {
    return new ReplayOptions("sim", null, Duration.ZERO, CheckerMode.BOTH, allocator, keys, repeat);
  }

  private static Trace trace(String rows) {
    return Traces.read(
        "t", new ByteArrayInputStream((HEADER + rows).getBytes(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest
  @DisplayName("Recorded traces replay through the caching allocator without failure or hazard")
  @ValueSource(
      strings = {
        "gpt.csv.gz",
        "growing.csv.gz",
        "streams.csv.gz",
        "serve.csv.gz",
        "fixed.csv.gz",
        "gnn.csv.gz",
        "prefetch.csv.gz",
        "snapshot-a.pickle",
        "rmm-a.csv.gz"
      })
  void recorded(String file) {
    Trace trace = Traces.read(Path.of("..", "traces", file));
    ReplayResult result = Replay.run(trace, options("caching", 1), Progress.NONE);
    assertEquals(List.of(), result.getProblems());
    assertEquals(0, result.hazards());
    assertTrue(result.getReservedPeakBytes() >= trace.getRequestedPeakBytes());
  }

  @Test
  @DisplayName("Driver calls exclude the replay's own kernels")
  void driverCalls() {
    ReplayResult result =
        Replay.run(
            trace("alloc,0,1000,0,0\nfree_completed,0,1000,0,1\nalloc,0,1000,3,2\n"),
            options("direct", 1),
            Progress.NONE);
    DriverFigures driver = assertNotNullFigures(result);
    assertEquals(2L, driver.calls().get("cuMemAlloc"));
    assertTrue(!driver.calls().containsKey("cuLaunchKernel"));
    assertTrue(!driver.calls().containsKey("cuStreamCreate"));
    assertTrue(driver.estimatedNanos() > 0);
  }

  private static DriverFigures assertNotNullFigures(ReplayResult result) {
    DriverFigures driver = result.driver();
    assertNotNull(driver);
    return driver;
  }

  @Test
  @DisplayName("Decay follows the recorded time, however fast the replay is")
  void decayInRecordedTime() {
    StringBuilder rows =
        new StringBuilder("alloc,0,500000000,0,0\nfree_completed,0,500000000,0,1\n");
    for (int i = 1; i <= 60; i++) {
      // Each is larger than what caches keep, so that it searches behind them.
      rows.append(String.format("alloc,0,30000000,0,%d%n", i * 100_000));
      rows.append(String.format("free_completed,0,30000000,0,%d%n", i * 100_000 + 1));
    }
    Trace trace = trace(rows.toString());
    ReplayOptions decaying = options("caching", Map.of("decay", "2"), 1);
    var calls = assertNotNullFigures(Replay.run(trace, decaying, Progress.NONE)).calls();
    long created = calls.getOrDefault("cuMemCreate", 0L);
    assertTrue(calls.getOrDefault("cuMemRelease", 0L) >= created - 2, calls.toString());
    var without = assertNotNullFigures(Replay.run(trace, options("caching", 1), Progress.NONE));
    assertEquals(0L, without.calls().getOrDefault("cuMemRelease", 0L));
  }

  @Test
  @DisplayName("A pass begins with nothing live, so passes do not add up in the peak")
  void passes() {
    Trace trace = trace("alloc,0,5000000,0,0\nalloc,8000000,1000,1,2\n");
    ReplayResult once = Replay.run(trace, options("direct", 1), Progress.NONE);
    ReplayResult often = Replay.run(trace, options("direct", 5), Progress.NONE);
    assertEquals(once.getReservedPeakBytes(), often.getReservedPeakBytes());
    assertEquals(List.of(), often.getProblems());
  }

  @Test
  @DisplayName("18.7 The passes' driver calls and times add up to those of the replay")
  void figuresOfPasses() {
    Trace trace =
        trace("alloc,0,30000000,0,0\nfree_completed,0,30000000,0,40\nalloc,0,60000000,0,7000\n");
    ReplayResult result = Replay.run(trace, options("direct", 3), Progress.NONE);
    assertEquals(7_000_000, result.getRecordedNanos());
    assertEquals(3, result.passes().size());
    DriverFigures all = assertNotNullFigures(result);
    Map<String, Long> sums = new TreeMap<>();
    long nanos = 0;
    for (ReplayPass pass : result.passes()) {
      DriverFigures driver = pass.driver();
      assertNotNull(driver);
      driver.calls().forEach((call, count) -> sums.merge(call, count, Long::sum));
      nanos += driver.estimatedNanos();
      assertEquals(2L, driver.calls().get("cuMemAlloc"));
      assertTrue(pass.longestNanos() >= pass.nanosPerEvent(), pass.toString());
      assertTrue(pass.longestNanos() <= 3 * pass.nanosPerEvent(), "of three events: " + pass);
    }
    assertEquals(new TreeMap<>(all.calls()), sums);
    assertEquals(all.estimatedNanos(), nanos);
    // Of the two blocks of a pass the second is live at its end, and freed as the next one begins.
    assertEquals(
        List.of(1L, 2L, 2L),
        result.passes().stream()
            .map(pass -> Objects.requireNonNull(pass.driver()).calls().get("cuMemFree"))
            .toList());
  }

  @Test
  @DisplayName("18.7 The reserved peak of a pass includes earlier passes")
  void peaksOfPasses() {
    Trace trace = Traces.read(Path.of("..", "traces", "streams.csv.gz"));
    ReplayResult result = Replay.run(trace, options("caching", 3), Progress.NONE);
    List<Long> peaks = result.passes().stream().map(ReplayPass::reservedPeakBytes).toList();
    assertEquals(peaks.stream().sorted().toList(), peaks);
    assertEquals(peaks.get(2), result.getReservedPeakBytes());
    assertTrue(peaks.get(0) >= trace.getRequestedPeakBytes());
  }

  @ParameterizedTest(name = "{0} on {1} GiB")
  @CsvSource({"gpt, 24, 1.05", "growing, 8, 1.14"})
  @DisplayName("18.2 A program that needs half of a device or more reserves hardly more")
  void halfOfTheDevice(String name, long gibibytes, double most) {
    Trace trace = Traces.read(Path.of("..", "traces", name + ".csv.gz"));
    ReplayResult result =
        Replay.run(
            trace,
            new ReplayOptions(
                "sim",
                DeviceMemory.of(gibibytes << 30),
                Duration.ZERO,
                CheckerMode.OFF,
                "caching",
                Map.of(),
                3),
            Progress.NONE);
    assertEquals(List.of(), result.getProblems());
    double ratio = (double) result.getReservedPeakBytes() / trace.getRequestedPeakBytes();
    assertTrue(ratio <= most, name + " reserved " + ratio + " times its peak");
  }

  @ParameterizedTest(name = "{0} on {1} times its peak")
  @CsvSource({"growing, 1.055", "serve, 1.05", "fixed, 1.05", "prefetch, 1.05"})
  @DisplayName("18.2 A program completes on little more than its requested peak")
  void littleMoreThanThePeak(String name, double times) {
    Trace trace = Traces.read(Path.of("..", "traces", name + ".csv.gz"));
    ReplayResult result =
        Replay.run(
            trace,
            new ReplayOptions(
                "sim",
                DeviceMemory.timesRequested(times),
                Duration.ZERO,
                CheckerMode.OFF,
                "caching",
                Map.of(),
                3),
            Progress.NONE);
    assertEquals(List.of(), result.getProblems());
  }

  @Test
  @DisplayName(
      "41.1 A replay reports the longest driver time of one call and the calls that took memory")
  void longestDriverTime() {
    ReplayPass pass =
        Replay.run(
                trace("alloc,0,1000,0,0\nfree_completed,0,1000,0,40\nalloc,0,60000000,0,70\n"),
                options("direct", 1),
                Progress.NONE)
            .getFirstPass();
    DriverFigures driver = Objects.requireNonNull(pass.driver());
    assertEquals(2, driver.getAllocations());
    long longest = Objects.requireNonNull(pass.longestDriverNanos());
    assertTrue(longest > driver.estimatedNanos() / 3, pass.toString());
    assertTrue(longest < driver.estimatedNanos(), pass.toString());
  }

  @Test
  @DisplayName("Empty allocations replay")
  void empty() {
    assertEquals(
        List.of(),
        Replay.run(trace("alloc,0,0,0,0\n"), options("caching", 1), Progress.NONE).getProblems());
  }

  @Test
  @DisplayName("Progress adds up to the events of all passes")
  void progress() {
    Trace trace = Traces.read(Path.of("..", "traces", "streams.csv.gz"));
    long[] seen = new long[1];
    Replay.run(trace, options("direct", 2), events -> seen[0] += events);
    assertEquals(Replay.countEvents(trace, options("direct", 2)), seen[0]);
    assertEquals(4L * trace.getEventCount(), seen[0], "two passes, judged and timed");
  }

  @Test
  @DisplayName(
      "The replay's kernels are seen: memory reused on another stream too early is a hazard")
  void earlyReuse() {
    Trace trace =
        trace(
            """
            alloc,0,100000000,1,0
            free_completed,0,100000000,1,1
            alloc,0,100000000,2,2
            free_completed,0,100000000,2,3
            """);
    ReplayResult result = run(trace, target -> new BrokenAllocator(target.getDevice(), false));
    assertTrue(Objects.requireNonNull(result.hazards()) > 0);
    assertTrue(result.getProblems().get(0).contains("hazards"), result.getProblems().toString());
  }

  @Test
  @DisplayName("Memory that an allocator keeps after its close is a leak")
  void leak() {
    ReplayResult result =
        run(
            trace("alloc,0,5000000,0,0\n"),
            target -> new BrokenAllocator(target.getDevice(), true));
    assertTrue(
        result.getProblems().toString().contains("1 leak after"), result.getProblems().toString());
    assertTrue(
        result.getProblems().toString().contains("allocation"), result.getProblems().toString());
  }

  private static ReplayResult run(Trace trace, Replay.AllocatorFactory factory) {
    ReplayOptions options = options("broken", 1);
    try (ReplayTarget target = options.openTarget(trace.getRequestedPeakBytes(), true)) {
      return Replay.run(trace, options, target, factory, Progress.NONE);
    }
  }
}
