package org.vramkit.tools.replay;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a program over its variations. Those of the first pass and of the passes after it
 * are apart: the first finds an allocator without memory.
 *
 * @param variations the figures of each, the recording itself first
 */
public record VariedResult(List<ReplayResult> variations) {
  private interface PassFigure {
    @Nullable Double of(ReplayResult result, ReplayPass pass);
  }

  /** Copies the list. */
  public VariedResult {
    variations = List.copyOf(variations);
  }

  /** The recording as it is. */
  public ReplayResult getRecording() {
    return variations.get(0);
  }

  /** Reserved by requested peak; null when nothing was requested. */
  public @Nullable Spread getReservedRatio() {
    List<@Nullable Double> ratios = new ArrayList<>();
    variations.forEach(each -> ratios.add(each.getReservedRatio()));
    return Spread.of(ratios);
  }

  /** Driver time of the first pass as {@link ReplayResult#getDriverShare}. */
  public @Nullable Spread getFirstDriverShare() {
    return overFirst(ReplayResult::getDriverShare);
  }

  /** The same of later passes; null if there are none. */
  public @Nullable Spread getLaterDriverShare() {
    return overLater(ReplayResult::getDriverShare);
  }

  /** Driver calls of the first pass that took memory; null where no calls are counted. */
  public @Nullable Spread getFirstMisses() {
    return overFirst((result, pass) -> misses(pass));
  }

  /** The same of later passes; null if there are none. */
  public @Nullable Spread getLaterMisses() {
    return overLater((result, pass) -> misses(pass));
  }

  /** The most driver time of one call in the first pass; null where that is not known. */
  public @Nullable Spread getFirstLongestDriverNanos() {
    return overFirst((result, pass) -> longest(pass));
  }

  /** The same of later passes; null if there are none. */
  public @Nullable Spread getLaterLongestDriverNanos() {
    return overLater((result, pass) -> longest(pass));
  }

  private static @Nullable Double misses(ReplayPass pass) {
    DriverFigures driver = pass.driver();
    return driver == null ? null : (double) driver.getAllocations();
  }

  private static @Nullable Double longest(ReplayPass pass) {
    Long nanos = pass.longestDriverNanos();
    return nanos == null ? null : (double) nanos;
  }

  private @Nullable Spread overFirst(PassFigure figure) {
    List<@Nullable Double> figures = new ArrayList<>();
    variations.forEach(each -> figures.add(figure.of(each, each.getFirstPass())));
    return Spread.of(figures);
  }

  private @Nullable Spread overLater(PassFigure figure) {
    List<@Nullable Double> figures = new ArrayList<>();
    for (ReplayResult each : variations) {
      each.passes().stream().skip(1).forEach(pass -> figures.add(figure.of(each, pass)));
    }
    return Spread.of(figures);
  }

  /** Allocations that were refused, over all passes of all variations. */
  public long getFailedAllocations() {
    return variations.stream().mapToLong(ReplayResult::failedAllocations).sum();
  }

  /** Hazards in the variations that the checker judged; null if it judged none. */
  public @Nullable Long getHazards() {
    Long hazards = null;
    for (ReplayResult each : variations) {
      Long found = each.hazards();
      if (found != null) {
        hazards = (hazards == null ? 0 : hazards) + found;
      }
    }
    return hazards;
  }

  /** Reasons why the run counts as failed, a line each; empty for a good one. */
  public List<String> getProblems() {
    List<String> problems = new ArrayList<>(getRecording().getProblems());
    for (int number = 1; number < variations.size(); number++) {
      String where = "variation " + number + ": ";
      variations.get(number).getProblems().forEach(problem -> problems.add(where + problem));
    }
    return problems;
  }
}
