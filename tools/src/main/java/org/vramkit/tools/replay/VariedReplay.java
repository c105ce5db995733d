package org.vramkit.tools.replay;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.tools.trace.Trace;

/**
 * Replays a program and its variations, each on a fresh device. The place of one block affects all
 * later ones, so figures of a single replay react strongly to small changes. Means over variations
 * are stable.
 */
public final class VariedReplay {
  private VariedReplay() {}

  /**
   * Replays the variations in turn. With {@link CheckerMode#BOTH}, only the recording itself is
   * checked.
   *
   * @param variations number of replays including the recording itself, at least 1
   * @throws UsageException if an option is invalid
   * @throws org.vramkit.api.error.GpuException if the backend fails for a reason other than lack of
   *     memory
   */
  public static VariedResult run(
      Trace trace, ReplayOptions options, int variations, Progress progress) {
    List<ReplayResult> results = new ArrayList<>();
    for (int variation = 0; variation < variations; variation++) {
      results.add(Replay.run(trace.vary(variation), of(options, variation), progress));
    }
    return new VariedResult(results);
  }

  /** Counts the events that a run reports to its {@link Progress}. */
  public static long countEvents(Trace trace, ReplayOptions options, int variations) {
    long events = 0;
    for (int variation = 0; variation < variations; variation++) {
      events += Replay.countEvents(trace, of(options, variation));
    }
    return events;
  }

  private static ReplayOptions of(ReplayOptions options, int variation) {
    return variation > 0 && options.checker() == CheckerMode.BOTH
        ? options.withChecker(CheckerMode.OFF)
        : options;
  }
}
