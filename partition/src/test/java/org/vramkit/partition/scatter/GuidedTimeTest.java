package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Planner;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.WorkSelector;

@Tag("virtual-time")
@DisplayName("S5: guided chunks in virtual time")
@SuppressWarnings("try") // scatters are closed early, so that leaks show
class GuidedTimeTest {
  private static final int SEEDS = 50 * Integer.getInteger("vramkit.effort", 1);
  private static final int UNITS = 4096;
  private static final double IDEAL = 100e6;

  /** Devices of random speed, of which one may slow down or fail. */
  private static final class Job {
    final long seed;
    final double[] rates;
    final double[] scores;
    int odd;
    double slowFactor = 1;
    boolean lost;

    /** The virtual time at which a device changed. */
    double changed = IDEAL / 2;

    Job(long seed, double scoreError) {
      this.seed = seed;
      Random random = new Random(seed);
      int devices = 2 + (int) (seed % 7);
      rates = random.doubles(devices, 1, 8).toArray();
      double sum = Arrays.stream(rates).sum();
      for (int i = 0; i < devices; i++) {
        rates[i] *= UNITS / IDEAL / sum;
      }
      scores = rates.clone();
      for (int i = 0; i < devices; i++) {
        scores[i] *= 1e6 * (random.nextBoolean() ? 1 + scoreError : 1 - scoreError);
      }
      odd = random.nextInt(devices);
    }

    /** Returns the time of the best schedule of single units. */
    double ideal() {
      double later = lost ? 0 : 1 / slowFactor;
      return slowFactor == 1 && !lost
          ? IDEAL
          : changed + (UNITS - changed * sum()) / (sum() - rates[odd] + rates[odd] * later);
    }

    private double sum() {
      return Arrays.stream(rates).sum();
    }

    private FaultPlan faults() {
      long half = (long) (IDEAL / 2);
      return lost
          ? FaultPlan.NONE.fail(
              CallSelector.of("cuStreamSynchronize").from(half).withNth(1), Fault.UNKNOWN)
          : FaultPlan.NONE.slow(WorkSelector.ofDevice(odd).from(half), slowFactor);
    }

    double efficiency(Schedule schedule) {
      ScatterReport report = run(schedule);
      if (lost) {
        List<ChunkRun> failed =
            report.runs().stream()
                .filter(each -> each.outcome() == ChunkRun.Outcome.FAILED)
                .toList();
        odd = failed.get(0).tile().ordinal();
        changed = failed.get(0).toNanos();
      }
      if (slowFactor > 1) {
        // Work that was submitted before the change ran at the old rate.
        changed =
            report.runs().stream()
                .filter(each -> each.tile().ordinal() == odd && each.fromNanos() < IDEAL / 2)
                .mapToLong(ChunkRun::toNanos)
                .max()
                .orElseThrow();
      }
      return ideal() / report.nanos();
    }

    DevicePool pool() {
      try (SimBackend backend = Gpus.backend(rates.length, FaultPlan.NONE)) {
        return DevicePool.of(backend.getDevices(), each -> scores[each.getOrdinal()]);
      }
    }

    ScatterReport run(Schedule schedule) {
      try (SimBackend backend = Gpus.backend(rates.length, faults());
          VirtualClock clock = new VirtualClock(backend);
          Scatter scatter =
              Scatter.builder(
                      DevicePool.of(backend.getDevices(), each -> scores[each.getOrdinal()]))
                  .clock(clock)
                  .build()) {
        AtomicIntegerArray done = new AtomicIntegerArray(UNITS);
        ScatterReport report = scatter.run(UNITS, schedule, tile -> work(tile, clock, done));
        long counted = report.tiles().stream().mapToLong(Tile::getUnits).sum();
        assertEquals(UNITS, counted, "seed " + seed);
        for (int i = 0; i < UNITS && !lost; i++) {
          assertEquals(1, done.get(i), "seed " + seed + ", unit " + i);
        }
        scatter.close();
        clock.close();
        assertClean(backend);
        return report;
      }
    }

    private void work(TileContext tile, VirtualClock clock, AtomicIntegerArray done) {
      Tile units = tile.getTile();
      int device = units.ordinal();
      boolean slow = device == odd && clock.nanoTime() >= (long) (IDEAL / 2);
      clock.launch(tile, (long) (units.getUnits() / rates[device]), slow ? slowFactor : 1);
      for (long i = units.from(); i < units.to(); i++) {
        done.incrementAndGet((int) i);
      }
    }
  }

  private static void check(String what, ToDoubleFunction<Long> run, double mean, double worst) {
    List<Double> all = new ArrayList<>();
    long worstSeed = 0;
    double least = 2;
    for (long seed = 1; seed <= SEEDS; seed++) {
      double efficiency = run.applyAsDouble(seed);
      all.add(efficiency);
      if (efficiency < least) {
        least = efficiency;
        worstSeed = seed;
      }
    }
    double average = all.stream().mapToDouble(each -> each).average().orElseThrow();
    String figures =
        String.format(
            Locale.ROOT,
            "%s: efficiency %.4f on average, %.4f at worst (seed %d) over %d seeds",
            what,
            average,
            least,
            worstSeed,
            SEEDS);
    System.out.println(figures);
    assertTrue(average >= mean && least >= worst, figures);
  }

  @Test
  @DisplayName("25 scores 50 % wrong either way: 0.97 on average, 0.93 at worst")
  void wrongScores() {
    check(
        "scores 50 % wrong", seed -> new Job(seed, 0.5).efficiency(Schedule.guided()), 0.97, 0.93);
  }

  @Test
  @DisplayName("25 scores right: guided is as good, and planned no slower than it by more than 2 %")
  void rightScores() {
    check(
        "scores right, planned against guided",
        seed -> {
          long planned =
              Planner.DEFAULT.plan(new Job(seed, 0).pool(), UNITS).getTiles().stream()
                  .mapToLong(
                      tile -> (long) (tile.getUnits() / new Job(seed, 0).rates[tile.ordinal()]))
                  .max()
                  .orElseThrow();
          return (double) new Job(seed, 0).run(Schedule.guided()).nanos() / planned;
        },
        0.98,
        0.98);
    check("scores right", seed -> new Job(seed, 0).efficiency(Schedule.guided()), 0.97, 0.93);
  }

  @Test
  @DisplayName("25 one device drops to 40 % half-way: 0.93")
  void slowsDown() {
    check(
        "one device drops to 40 %",
        seed -> {
          Job job = new Job(seed, 0.5);
          job.slowFactor = 2.5;
          return job.efficiency(Schedule.guided());
        },
        0.93,
        0.93);
  }

  @Test
  @DisplayName("19, 25 one device is lost half-way: 0.90 of what is left")
  void lost() {
    check(
        "one device lost",
        seed -> {
          Job job = new Job(seed, 0.5);
          job.lost = true;
          return job.efficiency(Schedule.guided());
        },
        0.90,
        0.90);
  }

  @Test
  @DisplayName("every chunk has the least size that was asked for")
  void chunksHaveTheLeastSize() {
    for (long seed = 1; seed <= 20; seed++) {
      List<Tile> order = new Job(seed, 0.5).run(Schedule.guided().withMinChunkSize(64)).getOrder();
      assertTrue(
          order.stream().allMatch(tile -> tile.getUnits() >= 64), "seed " + seed + ": " + order);
    }
  }

  @Test
  @DisplayName("rates of a failed run are kept, for the run that resumes it")
  void ratesOfFailedRun() {
    ThroughputHistory history = new ThroughputHistory();
    try (SimBackend backend = Gpus.backend(2, FaultPlan.NONE);
        VirtualClock clock = new VirtualClock(backend);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .throughputHistory(history)
                .clock(clock)
                .build()) {
      assertThrows(
          IllegalStateException.class,
          () ->
              scatter.run(
                  UNITS,
                  Schedule.guided("square"),
                  tile -> {
                    if (tile.getTile().from() > UNITS / 2) {
                      throw new IllegalStateException("half is enough");
                    }
                    clock.launch(tile, tile.getTile().getUnits() * 1000, 1);
                  }));
      assertTrue(history.getRate("square", backend.getDevice(0)) > 0, "a rate is known");
      scatter.close();
      clock.close();
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("rates are kept by kind of work and device, and can be stored and given back")
  void ratesAreKept() {
    ThroughputHistory history = new ThroughputHistory();
    try (SimBackend backend = Gpus.backend(2, FaultPlan.NONE);
        VirtualClock clock = new VirtualClock(backend);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend))
                .throughputHistory(history)
                .clock(clock)
                .build()) {
      scatter.run(
          UNITS,
          Schedule.guided("square"),
          tile ->
              clock.launch(
                  tile, tile.getTile().getUnits() * (1 + tile.getTile().ordinal()) * 1000, 1));
      assertEquals(1e6, history.getRate("square", backend.getDevice(0)), 1e4);
      assertEquals(0.5e6, history.getRate("square", backend.getDevice(1)), 1e4);
      assertEquals(0, history.getRate("cube", backend.getDevice(0)));
      assertEquals(history.toMap(), ThroughputHistory.of(history.toMap()).toMap());
      scatter.close();
      clock.close();
      assertClean(backend);
    }
  }
}
