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
import org.vramkit.sim.DeviceProfile;
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
 * Replays a trace through many combinations, on simulated devices of their own. What is reserved
 * and what the driver takes is of virtual time, the same on any machine however many replays run
 * beside; so these run on all cores. Times per event are of the world: they are measured after
 * that, one replay at a time.
 */
public final class Tuning {
  /** A page of memory; devices differ by no less. */
  private static final long PAGE = 2L << 20;

  /** How close the smallest memory is found, as a part of it. */
  private static final long PRECISION = 1000;

  /** How often each is timed, and how often where a replay is short. */
  private static final int ROUNDS = 3;

  private static final int ROUNDS_OF_SHORT = 7;
  private static final int SHORT = 20_000;

  private final Trace trace;
  private final long deviceBytes;
  private final int threads;

  /**
   * Prepares to tune.
   *
   * @param deviceBytes memory of the simulated device
   * @param threads how many replays run at once
   */
  public Tuning(Trace trace, long deviceBytes, int threads) {
    this.trace = trace;
    this.deviceBytes = deviceBytes;
    this.threads = threads;
  }

  /**
   * Checks options that {@code --try} gave, on a device of this memory.
   *
   * @throws UsageException if one does not fit
   */
  public static void check(long deviceBytes, Map<String, String> options) {
    Replay.check(options(new Combination(Allocators.DEFAULT, options), deviceBytes), "--try");
  }

  /** One of the three parts of the work; they follow each other. */
  public enum Part {
    TRYING,
    TIMING,
    SMALLEST
  }

  /** Runs a part of the work, which tells how many of its pieces are done. */
  public interface Watch {
    /** Runs it; {@code pieces} replays or searches are to come. */
    <T> T during(Part part, long pieces, Function<Progress, T> work);
  }

  /**
   * Tries all combinations.
   *
   * @param smallest whether to look for the smallest memory that suffices for each of the best
   */
  public TuneResult run(List<Combination> combinations, boolean smallest, Watch watch) {
    List<Trial> trials =
        watch.during(
            Part.TRYING,
            combinations.size(),
            progress -> parallel(combinations, each -> attempt(each, progress)));
    List<Trial> distinct = distinct(trials);
    int rounds = trace.getEventCount() < SHORT ? ROUNDS_OF_SHORT : ROUNDS;
    List<Trial> timed =
        watch.during(
            Part.TIMING,
            (long) rounds * distinct.size(),
            progress -> timed(distinct, rounds, progress));
    List<Trial> front = ParetoFront.of(timed);
    if (smallest) {
      List<Trial> found = front;
      front =
          watch.during(
              Part.SMALLEST,
              found.size(),
              progress -> parallel(found, each -> smallest(each, progress)));
    }
    return new TuneResult(trace, deviceBytes, merged(trials, merged(timed, front)), front);
  }

  /** The trials, those that were looked at more closely in place of their first figures. */
  private static List<Trial> merged(List<Trial> trials, List<Trial> closer) {
    return trials.stream()
        .map(
            each ->
                closer.stream()
                    .filter(other -> other.combination().equals(each.combination()))
                    .findFirst()
                    .orElse(each))
        .toList();
  }

  /** Of those that did the same at the driver the one with the fewest options. */
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
      throw new UsageException("interrupted before all was tried");
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
      // Such as an option that does nothing over this memory.
      return new Trial(combination, 0, 0, 0, 0, null, null, String.valueOf(e.getMessage()));
    } finally {
      progress.advance(1);
    }
  }

  /** In rounds, so that what slows the machine for a while slows all of them. */
  private List<Trial> timed(List<Trial> trials, int rounds, Progress progress) {
    List<List<Double>> measured = new ArrayList<>();
    trials.forEach(each -> measured.add(new ArrayList<>()));
    if (!trials.isEmpty()) {
      // The JVM compiles what all of them run.
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
      timed.add(trials.get(i).withTime(HostTime.of(measured.get(i))));
    }
    return timed;
  }

  private double time(Combination combination) {
    return replay(combination, deviceBytes).getFirstPass().nanosPerEvent();
  }

  /**
   * Finds a larger memory of the device on which the defaults refuse nothing, as it is printed; 0
   * if no simulated device has enough.
   */
  public long findSufficient() {
    long bytes = printed(Math.max(2 * deviceBytes, trace.getRequestedPeakBytes()));
    while (bytes <= DeviceProfile.MAXIMUM_MEMORY) {
      if (suffices(Combination.DEFAULT, bytes)) {
        return bytes;
      }
      bytes = printed(2 * bytes);
    }
    return 0;
  }

  /** Between what was requested at once, which no device can do without, and what was reserved. */
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
    return trial.withSmallest(told(trial, high * PAGE));
  }

  /**
   * The least memory from some on that suffices as it is printed: what is a little more may hold a
   * program in another way, which needs more.
   */
  private long told(Trial trial, long bytes) {
    long told = printed(bytes);
    while (told < deviceBytes && !suffices(trial.combination(), told)) {
      told = printed(told + 1);
    }
    return Math.min(deviceBytes, told);
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
