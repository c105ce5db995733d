package org.vramkit.tools.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.Traces;

class ReplayTest {
  private static final String HEADER = "action,addr,size,stream,time_us\n";

  private static ReplayOptions options(String allocator, int repeat) {
    return new ReplayOptions("sim", null, Duration.ZERO, allocator, Map.of(), repeat);
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
        "snapshot-a.pickle",
        "rmm-a.csv.gz"
      })
  void recorded(String file) {
    Trace trace = Traces.read(Path.of("..", "traces", file));
    ReplayResult result = Replay.run(trace, options("caching", 1), Progress.NONE);
    assertEquals(List.of(), result.problems());
    assertEquals(0, result.hazards());
    assertTrue(result.reservedPeakBytes() >= trace.getRequestedPeakBytes());
    long[] requested = result.timeline().getRequested();
    assertEquals(
        trace.getRequestedPeakBytes(),
        Arrays.stream(requested).max().orElse(0),
        "the chart shows the exact peak");
  }

  @Test
  @DisplayName("Driver calls are the allocator's own: the kernels of the replay are not in them")
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
  @DisplayName("Decay goes by the recorded time, however fast the replay is")
  void decayInRecordedTime() {
    StringBuilder rows =
        new StringBuilder("alloc,0,500000000,0,0\nfree_completed,0,500000000,0,1\n");
    for (int i = 1; i <= 60; i++) {
      // Each is larger than what caches keep, so that it searches behind them.
      rows.append(String.format("alloc,0,30000000,0,%d%n", i * 100_000));
      rows.append(String.format("free_completed,0,30000000,0,%d%n", i * 100_000 + 1));
    }
    Trace trace = trace(rows.toString());
    ReplayOptions decaying =
        new ReplayOptions("sim", null, Duration.ZERO, "caching", Map.of("decay", "2"), 1);
    var calls = assertNotNullFigures(Replay.run(trace, decaying, Progress.NONE)).calls();
    assertTrue(calls.getOrDefault("cuMemRelease", 0L) > 200, calls.toString());
    var without = assertNotNullFigures(Replay.run(trace, options("caching", 1), Progress.NONE));
    assertEquals(0L, without.calls().getOrDefault("cuMemRelease", 0L));
  }

  @Test
  @DisplayName("A pass begins with nothing live: passes do not add to the peak")
  void passes() {
    Trace trace = trace("alloc,0,5000000,0,0\nalloc,8000000,1000,1,2\n");
    ReplayResult once = Replay.run(trace, options("direct", 1), Progress.NONE);
    ReplayResult often = Replay.run(trace, options("direct", 5), Progress.NONE);
    assertEquals(once.reservedPeakBytes(), often.reservedPeakBytes());
    assertEquals(List.of(), often.problems());
  }

  @Test
  @DisplayName("Empty allocations replay")
  void empty() {
    assertEquals(
        List.of(),
        Replay.run(trace("alloc,0,0,0,0\n"), options("caching", 1), Progress.NONE).problems());
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
    assertTrue(result.hazards() > 0);
    assertTrue(result.problems().get(0).contains("hazards"), result.problems().toString());
  }

  @Test
  @DisplayName("Memory that an allocator keeps after its close is a leak")
  void leak() {
    ReplayResult result =
        run(
            trace("alloc,0,5000000,0,0\n"),
            target -> new BrokenAllocator(target.getDevice(), true));
    assertTrue(result.problems().toString().contains("1 leak after"), result.problems().toString());
    assertTrue(result.problems().toString().contains("allocation"), result.problems().toString());
  }

  private static ReplayResult run(Trace trace, Replay.AllocatorFactory factory) {
    ReplayOptions options = options("broken", 1);
    try (ReplayTarget target = options.openTarget(true)) {
      return Replay.run(trace, options, target, factory, Progress.NONE);
    }
  }
}
