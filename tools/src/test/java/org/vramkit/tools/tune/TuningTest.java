package org.vramkit.tools.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.tools.replay.CheckerMode;
import org.vramkit.tools.replay.DeviceMemory;
import org.vramkit.tools.replay.Progress;
import org.vramkit.tools.replay.Replay;
import org.vramkit.tools.replay.ReplayOptions;
import org.vramkit.tools.replay.ReplayResult;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.Traces;

/** What is tried, what is best, and that a replay gives what was said. */
class TuningTest {
  private static final long MEMORY = 4L << 30;
  private static final Tuning.PhaseRunner DIRECTLY =
      new Tuning.PhaseRunner() {
        @Override
        public <T> T run(Tuning.Phase phase, long steps, Function<Progress, T> work) {
          return work.apply(Progress.NONE);
        }
      };

  private static Trace trace(String name) {
    return Traces.read(Path.of("..", "traces", name));
  }

  private static ReplayResult replay(Trace trace, Combination combination, long memory) {
    ReplayOptions options =
        new ReplayOptions(
            "sim",
            DeviceMemory.of(memory),
            Duration.ZERO,
            CheckerMode.BOTH,
            combination.allocator(),
            combination.options(),
            1);
    return Replay.run(trace, options, Progress.NONE);
  }

  private static Trial trial(String option, long reserved, long driverMillis, double... nanos) {
    return new Trial(
        new Combination("caching", Map.of("o", option)),
        reserved,
        driverMillis * 1_000_000,
        1,
        0,
        nanos.length == 0 ? null : HostTime.of(nanos),
        null,
        null);
  }

  @Test
  @DisplayName(
      "22.6 over 50 combinations for a program of one stream, each once, the defaults first")
  void grid() {
    List<Combination> all = Grid.combinations(1, Map.of());
    assertTrue(all.size() > 50, () -> all.size() + " combinations");
    assertEquals(Combination.DEFAULT, all.get(0));
    assertEquals(all.size(), all.stream().distinct().count());
    List<Combination> named = Grid.combinations(1, Map.of("decay", List.of("1", "10")));
    assertTrue(named.stream().anyMatch(each -> "10".equals(each.options().get("decay"))));
  }

  @Test
  @DisplayName("22.6 the front holds trials that no other dominates, and the first of equal ones")
  void front() {
    Trial small = trial("small", 1_000_000, 90, 500.0);
    Trial quick = trial("quick", 2_000_000, 10, 500.0);
    Trial beaten = trial("beaten", 2_100_000, 95, 500.0);
    Trial swift = trial("swift", 3_000_000, 95, 300.0);
    Trial noise = trial("noise", 2_000_100, 10, 490.0);
    Trial failing = new Trial(Combination.DEFAULT, 1, 1, 1, 5, HostTime.of(1), null, null);
    assertEquals(
        List.of(small, quick, swift),
        ParetoFront.of(List.of(noise, beaten, swift, quick, failing, small)));
  }

  @Test
  @DisplayName("42.13 noise in times changes neither the front nor the recommendation")
  void noise() {
    long seed = 13;
    Random random = new Random(seed);
    for (int run = 0; run < 50; run++) {
      Trial small = trial("small", 1_000_000, 90, scattered(random));
      Trial quick = trial("quick", 2_000_000, 10, scattered(random));
      Trial noise = trial("noise", 2_000_100, 10, scattered(random));
      Trial defaults =
          new Trial(Combination.DEFAULT, 2_500_000, 10_000_000, 1, 0, null, null, null)
              .withTime(HostTime.of(scattered(random)));
      List<Trial> all = List.of(defaults, noise, quick, small);
      List<Trial> front = ParetoFront.of(all);
      assertEquals(List.of(small, quick), front, "seed " + seed);
      assertEquals(quick, new TuneResult(trace("streams.csv.gz"), 1, all, front).getRecommended());
    }
  }

  /** Times of one replay on a busy machine. */
  private static double[] scattered(Random random) {
    return new double[] {
      90 + random.nextInt(5), 100 + random.nextInt(100), 300 + random.nextInt(50_000)
    };
  }

  @Test
  @DisplayName("42.13 the defaults are recommended unless another trial saves enough")
  void recommended() {
    Trace trace = trace("streams.csv.gz");
    Trial defaults = new Trial(Combination.DEFAULT, 1000 << 20, 10_000_000, 1, 0, null, null, null);
    Trial hardly = trial("hardly", 995 << 20, 10);
    Trial costly = trial("costly", 500 << 20, 20);
    Trial slow = trial("slow", 600 << 20, 10, 900, 950, 1000).withTime(HostTime.of(900, 950, 1000));
    Trial good = trial("good", 900 << 20, 10);
    Trial timed = defaults.withTime(HostTime.of(100, 110, 120));
    assertEquals(timed, recommended(trace, timed, hardly));
    assertEquals(timed, recommended(trace, timed, costly, slow));
    assertEquals(good, recommended(trace, timed, costly, slow, good, hardly));
    Trial failing = new Trial(Combination.DEFAULT, 0, 0, 0, 3, null, null, null);
    assertEquals(good, recommended(trace, failing, good));
    assertNull(recommended(trace, failing));
  }

  private static @Nullable Trial recommended(Trace trace, Trial defaults, Trial... best) {
    List<Trial> all = new ArrayList<>(List.of(best));
    all.add(0, defaults);
    return new TuneResult(trace, 1, all, List.of(best)).getRecommended();
  }

  @Test
  @DisplayName(
      "22.6 replays of the best, with the checker, confirm figures and the smallest memory")
  void replayed() {
    Trace trace = trace("streams.csv.gz");
    List<Combination> few =
        List.of(
            Combination.DEFAULT,
            new Combination("caching", Map.of("move-time", "1")),
            new Combination("caching", Map.of("virtual-memory", "off")),
            new Combination("caching", Map.of("virtual-memory", "off", "initial", "64MiB")),
            new Combination("native", Map.of()));
    TuneResult result = new Tuning(trace, MEMORY, 2).run(few, true, DIRECTLY);
    assertEquals(5, result.trials().size());
    assertFalse(result.best().isEmpty());
    for (Trial each : result.best()) {
      ReplayResult again = replay(trace, each.combination(), MEMORY);
      assertEquals(List.of(), again.getProblems());
      assertEquals(each.reservedBytes(), again.getReservedPeakBytes(), each.toString());
      assertEquals(
          each.driverNanos(),
          Objects.requireNonNull(again.driver()).estimatedNanos(),
          each.toString());
      Long smallest = each.smallestBytes();
      assertNotNull(smallest);
      assertEquals(0, replay(trace, each.combination(), smallest).failedAllocations());
      assertTrue(smallest >= trace.getRequestedPeakBytes(), each.toString());
      assertTrue(smallest < MEMORY, each.toString());
    }
    assertEquals(1, result.getProblems().size(), "an option that does nothing there is told");
  }

  @Test
  @DisplayName("22.6 the call to paste names the options")
  void code() {
    assertEquals(
        "CachingAllocator.builder(device).moveTime(1).build()",
        new Combination("caching", Map.of("move-time", "1")).getCode());
    assertEquals("DriverPoolAllocator.builder(device).build()", code("native"));
    assertEquals("defaults", Combination.DEFAULT.getLabel());
  }

  private static String code(String allocator) {
    return new Combination(allocator, Map.of()).getCode();
  }
}
