package org.vramkit.tools.tune;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.replay.Allocators;
import org.vramkit.tools.replay.CheckerMode;
import org.vramkit.tools.replay.DeviceMemory;
import org.vramkit.tools.replay.DriverFigures;
import org.vramkit.tools.replay.Progress;
import org.vramkit.tools.replay.Replay;
import org.vramkit.tools.replay.ReplayOptions;
import org.vramkit.tools.replay.ReplayResult;
import org.vramkit.tools.replay.UsageException;
import org.vramkit.tools.trace.Trace;

/**
 * Replays a trace with many combinations, each on its own simulated device. Reserved memory and
 * driver time do not depend on the machine, so those replays run in parallel. Host times are
 * measured afterwards, one replay at a time.
 */
public final class Tuning {
  /** The granularity of the search for the smallest memory, in bytes. */
  private static final long PAGE = 2L << 20;

  /** The search for the smallest memory ends at a relative precision of 1 / {@value}. */
  private static final long PRECISION = 1000;

  /** Timed replays per trial of a trace. */
  private static final int ROUNDS = 3;

  /** Timed replays per trial of a trace with fewer than {@link #SHORT} events. */
  private static final int ROUNDS_OF_SHORT = 7;

  private static final int SHORT = 20_000;

  private final Trace trace;
  private final long deviceBytes;
  private final int threads;

  /**
   * Prepares to tune.
   *
   * @param deviceBytes memory of the simulated device
   * @param threads number of parallel replays
   */
  public Tuning(Trace trace, long deviceBytes, int threads) {
    this.trace = trace;
    this.deviceBytes = deviceBytes;
    this.threads = threads;
  }

  /**
   * Checks options of {@code --try} on a device with this memory.
   *
   * @throws UsageException if an option is invalid
   */
  public static void check(long deviceBytes, Map<String, String> options) {
    Replay.check(options(new Combination(Allocators.DEFAULT, options), deviceBytes), "--try");
  }

  /** The phases of tuning, in order. */
  public enum Phase {
    TRYING,
    TIMING,
    SMALLEST
  }

  /** Runs the phases of tuning and shows their progress. */
  public interface PhaseRunner {
    /** Runs a phase, whose work consists of {@code steps} replays or searches. */
    <T> T run(Phase phase, long steps, Function<Progress, T> work);
  }

  /**
   * Runs all phases.
   *
   * @param smallest whether to search the smallest sufficient memory for each trial on the front
   */
  public TuneResult run(List<Combination> combinations, boolean smallest, PhaseRunner runner) {
    List<Trial> trials =
        runner.run(
            Phase.TRYING,
            combinations.size(),
            progress -> parallel(combinations, each -> attempt(each, progress)));
    List<Trial> distinct = distinct(trials);
    int rounds = trace.getEventCount() < SHORT ? ROUNDS_OF_SHORT : ROUNDS;
    List<Trial> timed =
        runner.run(
            Phase.TIMING,
            (long) rounds * distinct.size(),
            progress -> timed(distinct, rounds, progress));
    List<Trial> front = ParetoFront.of(timed);
    if (smallest) {
      List<Trial> found = front;
      front =
          runner.run(
              Phase.SMALLEST,
              found.size(),
              progress -> parallel(found, each -> smallest(each, progress)));
    }
    return new TuneResult(trace, deviceBytes, merged(trials, merged(timed, front)), front);
  }

  /** Replaces trials by those in {@code refined} of the same combination. */
  private static List<Trial> merged(List<Trial> trials, List<Trial> refined) {
    return trials.stream()
        .map(
            each ->
                refined.stream()
                    .filter(other -> other.combination().equals(each.combination()))
                    .findFirst()
                    .orElse(each))
        .toList();
  }

  /**
   * Drops failed trials, and trials of several options whose figures equal those of an earlier
   * trial.
   */
  private static List<Trial> distinct(List<Trial> trials) {
    List<Trial> kept = new ArrayList<>();
    for (Trial each : trials) {
      boolean known = kept.stream().anyMatch(other -> other.isLike(each));
      boolean isPlain = each.combination().options().size() <= 1;
      if (each.isSound() && (!known || isPlain)) {
        kept.add(each);
      }
    }
    return kept;
  }

  private <T, R> List<R> parallel(List<T> pieces, Function<T, R> work) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<R>> futures = new ArrayList<>();
      for (T piece : pieces) {
        futures.add(pool.submit(() -> work.apply(piece)));
      }
      List<R> results = new ArrayList<>();
      for (Future<R> future : futures) {
        results.add(future.get());
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UsageException("interrupted before all combinations were tried; run it again");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException(e);
    } finally {
      pool.shutdownNow();
    }
  }

  private Trial attempt(Combination combination, Progress progress) {
    try {
      ReplayResult result = replay(combination, deviceBytes);
      DriverFigures driver = result.driver();
      return new Trial(
          combination,
          result.getReservedPeakBytes(),
          driver == null ? 0 : driver.estimatedNanos(),
          driver == null ? 0 : driver.calls().values().stream().mapToLong(Long::longValue).sum(),
          result.failedAllocations(),
          null,
          null,
          null);
    } catch (UsageException e) {
      // For example, an option that does not apply without virtual memory.
      return new Trial(combination, 0, 0, 0, 0, null, null, String.valueOf(e.getMessage()));
    } finally {
      progress.advance(1);
    }
  }

  /** Times trials in rounds, so that a temporary slowdown of the machine affects all of them. */
  private List<Trial> timed(List<Trial> trials, int rounds, Progress progress) {
    List<List<Double>> measured = new ArrayList<>();
    trials.forEach(each -> measured.add(new ArrayList<>()));
    if (!trials.isEmpty()) {
      // A warm-up, in which the JVM compiles the common code.
      time(trials.get(0).combination());
    }
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < trials.size(); i++) {
        measured.get(i).add(time(trials.get(i).combination()));
        progress.advance(1);
      }
    }
    List<Trial> timed = new ArrayList<>();
    for (int i = 0; i < trials.size(); i++) {
      timed.add(
          trials
              .get(i)
              .withTime(
                  HostTime.of(
                      measured.get(i).stream().mapToDouble(Double::doubleValue).toArray())));
    }
    return timed;
  }

  private double time(Combination combination) {
    return replay(combination, deviceBytes).getFirstPass().nanosPerEvent();
  }

  /**
   * Finds a larger device memory that suffices for the defaults; 0 if that exceeds a simulated
   * device.
   */
  public long findSufficient() {
    return Replay.findSufficientMemory(trace, options(Combination.DEFAULT, deviceBytes));
  }

  /** Searches the smallest sufficient memory between the requested and the reserved peak. */
  private Trial smallest(Trial trial, Progress progress) {
    long low = trace.getRequestedPeakBytes() / PAGE;
    long high = (deviceBytes + PAGE - 1) / PAGE;
    long known = trial.reservedBytes() / PAGE + 1;
    if (known < high && suffices(trial.combination(), known * PAGE)) {
      high = known;
    }
    while (high - low > 1 && (high - low) * PRECISION > high) {
      long middle = (low + high) >>> 1;
      if (suffices(trial.combination(), middle * PAGE)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    progress.advance(1);
    return trial.withSmallest(sufficientFrom(trial, high * PAGE));
  }

  /**
   * Finds the first printable size from {@code bytes} that suffices. Printing rounds up, and more
   * memory may lead to another layout that needs even more.
   */
  private long sufficientFrom(Trial trial, long bytes) {
    long size = printed(bytes);
    while (size < deviceBytes && !suffices(trial.combination(), size)) {
      size = printed(size + 1);
    }
    return Math.min(deviceBytes, size);
  }

  private static long printed(long bytes) {
    return ByteSize.parse(ByteSize.formatUp(bytes));
  }

  private boolean suffices(Combination combination, long bytes) {
    return replay(combination, bytes).failedAllocations() == 0;
  }

  private ReplayResult replay(Combination combination, long bytes) {
    return Replay.run(trace, options(combination, bytes), Progress.NONE);
  }

  private static ReplayOptions options(Combination combination, long bytes) {
    return new ReplayOptions(
        ReplayOptions.SIMULATOR,
        DeviceMemory.of(bytes),
        Duration.ZERO,
        CheckerMode.OFF,
        combination.allocator(),
        combination.options(),
        1);
  }
}
