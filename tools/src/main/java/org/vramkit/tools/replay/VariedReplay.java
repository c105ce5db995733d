package org.vramkit.tools.replay;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.tools.trace.Trace;

/**
 * Replays a program and its variations, each on a fresh device. Where one block comes to lie
 * decides where all later ones do, so the figures of one replay jump with a size or a time that
 * changes a little; those over variations do not.
 */
public final class VariedReplay {
  private VariedReplay() {}

  /**
   * Replays them one after the other. With {@link CheckerMode#BOTH} the recording alone is judged.
   *
   * @param variations how many, the recording itself counted, at least 1
   * @throws UsageException if an option does not fit
   * @throws org.vramkit.api.error.GpuException if the backend fails in any way but for lack of
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

  /** Counts the events of a run, as {@link Progress} does. */
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
