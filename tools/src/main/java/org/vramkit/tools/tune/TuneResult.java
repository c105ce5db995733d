package org.vramkit.tools.tune;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.trace.Trace;

/**
 * All trials on a trace.
 *
 * @param trace the trace
 * @param deviceBytes memory of the simulated device
 * @param trials all that was tried, the defaults first
 * @param best the front, the least reserved first
 */
public record TuneResult(Trace trace, long deviceBytes, List<Trial> trials, List<Trial> best) {

  private static final double WORTH_BYTES = 1.01;
  private static final double WORTH_DRIVER = 1.1;
  private static final long WORTH_NANOS = 1_000_000;

  /** Copies the lists. */
  public TuneResult {
    trials = List.copyOf(trials);
    best = List.copyOf(best);
  }

  /** The defaults. */
  public Trial getDefaults() {
    return trials.get(0);
  }

  /**
   * The one to take: of the best that cost the driver and the host no more than the defaults do,
   * the one that reserves least. The defaults stay unless another saves a hundredth of their
   * memory, or a tenth of their driver time and a millisecond. What turns thread caches off is not
   * recommended, as a replay of one thread does not show what they save. Null if none was sound.
   */
  public @Nullable Trial getRecommended() {
    Trial defaults = getDefaults();
    if (!defaults.isSound()) {
      return best.isEmpty() ? null : best.get(0);
    }
    return best.stream()
        .filter(each -> !"0".equals(each.combination().options().get("thread-cache")))
        .filter(each -> !defaults.isQuickerThan(each))
        .filter(each -> !defaults.callsLessThan(each))
        .filter(each -> isWorthIt(each, defaults))
        .findFirst()
        .orElse(defaults);
  }

  private static boolean isWorthIt(Trial trial, Trial defaults) {
    long savedNanos = defaults.driverNanos() - trial.driverNanos();
    return trial.reservedBytes() * WORTH_BYTES < defaults.reservedBytes()
        || (trial.reservedBytes() <= defaults.reservedBytes()
            && savedNanos > WORTH_NANOS
            && trial.driverNanos() * WORTH_DRIVER < defaults.driverNanos());
  }

  /** Returns trials of one option each, beside the defaults of all others. */
  public List<Trial> getSingleOptions() {
    return trials.stream()
        .filter(each -> each.combination().options().size() == 1 && each.problem() == null)
        .toList();
  }

  /** Returns combinations that were not possible, by their reason. */
  public Map<String, List<String>> getProblems() {
    Map<String, List<String>> problems = new LinkedHashMap<>();
    for (Trial each : trials) {
      Optional.ofNullable(each.problem())
          .ifPresent(
              reason ->
                  problems
                      .computeIfAbsent(reason, any -> new ArrayList<>())
                      .add(each.combination().getLabel()));
    }
    return problems;
  }
}
