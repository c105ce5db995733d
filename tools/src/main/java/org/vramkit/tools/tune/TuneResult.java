package org.vramkit.tools.tune;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.vramkit.tools.trace.Trace;

/**
 * What was tried on a trace.
 *
 * @param trace the trace
 * @param deviceBytes memory of the simulated device
 * @param trials all that was tried, the defaults first
 * @param best the front, the least reserved first
 */
public record TuneResult(Trace trace, long deviceBytes, List<Trial> trials, List<Trial> best) {

  /** Copies the lists. */
  public TuneResult {
    trials = List.copyOf(trials);
    best = List.copyOf(best);
  }

  /** The defaults. */
  public Trial getDefaults() {
    return trials.get(0);
  }

  /** What each value of an option changes beside the defaults of all others. */
  public List<Trial> getSingleOptions() {
    return trials.stream()
        .filter(each -> each.combination().options().size() == 1 && each.problem() == null)
        .toList();
  }

  /** What was tried and cannot be had, by its reason. */
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
