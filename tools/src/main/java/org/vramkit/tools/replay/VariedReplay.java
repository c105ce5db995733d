package org.vramkit.tools.replay;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.units.ByteSize;
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
      Trace varied = trace.vary(variation);
      ReplayResult result = Replay.run(varied, of(options, variation), progress);
      results.add(explained(result, options));
    }
    return new VariedResult(results);
  }

  /**
   * Explains a failure on a simulated device that is smaller than the program. The allocator's own
   * message has advice to the program, which a replay cannot follow.
   */
  private static ReplayResult explained(ReplayResult result, ReplayOptions options) {
    Refusal refusal = result.firstRefusal();
    long peak = result.trace().getRequestedPeakBytes();
    if (refusal == null || !options.isSimulated() || peak <= options.memoryFor(peak)) {
      return result;
    }
    long sufficient = Replay.findSufficientMemory(result.trace(), options);
    String reason =
        "the simulated device has "
            + ByteSize.format(options.memoryFor(peak))
            + ", less than the recording's peak of "
            + ByteSize.formatExact(peak)
            + (sufficient == 0
                ? "; with these options no simulated device suffices"
                : "; --device-memory " + ByteSize.formatOption(sufficient) + " suffices");
    return result.withRefusal(refusal.withMessage(reason));
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
