package org.vramkit.tools.tune;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.trace.Trace;

/**
 * The result of tuning on one trace.
 *
 * @param trace the trace
 * @param deviceBytes memory of the simulated device in bytes
 * @param trials all trials, the defaults first
 * @param best the Pareto front, sorted by reserved memory
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

  /** Returns the trial of the default options. */
  public Trial getDefaults() {
    return trials.get(0);
  }

  /**
   * Returns the recommended trial. It is the trial on the front that reserves least without more
   * driver or host time than the defaults. A trial that saves neither 1 % of the defaults' memory
   * nor 10 % and 1 ms of their driver time is not recommended; the defaults are recommended then.
   * Options that turn off thread caches are never recommended, because a replay on one thread does
   * not show the value of thread caches. If the defaults fail, returns the trial on the front that
   * reserves least; null if every trial failed.
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

  /** Returns the trials that set exactly one option. */
  public List<Trial> getSingleOptions() {
    return trials.stream()
        .filter(each -> each.combination().options().size() == 1 && each.problem() == null)
        .toList();
  }

  /** Returns labels of invalid combinations by the reason. */
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
