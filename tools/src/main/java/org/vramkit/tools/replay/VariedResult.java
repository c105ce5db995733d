package org.vramkit.tools.replay;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The results of a program and its variations. The first pass, which starts with an empty
 * allocator, has separate figures from later ones.
 *
 * @param variations result of each variation, the recording itself first
 */
public record VariedResult(List<ReplayResult> variations) {
  private interface PassFigure {
    @Nullable Double of(ReplayResult result, ReplayPass pass);
  }

  /** Copies the list. */
  public VariedResult {
    variations = List.copyOf(variations);
  }

  /** Returns the result of the recording itself. */
  public ReplayResult getRecording() {
    return variations.get(0);
  }

  /** Returns the reserved peak divided by the requested peak; null if nothing was requested. */
  public @Nullable MeanAndWorst getReservedRatio() {
    List<@Nullable Double> ratios = new ArrayList<>();
    variations.forEach(each -> ratios.add(each.getReservedRatio()));
    return MeanAndWorst.of(ratios);
  }

  /** Returns {@link ReplayResult#getDriverShare} of first passes; null if unknown. */
  public @Nullable MeanAndWorst getFirstDriverShare() {
    return overFirst(ReplayResult::getDriverShare);
  }

  /** Returns {@link ReplayResult#getDriverShare} of later passes; null if there are none. */
  public @Nullable MeanAndWorst getLaterDriverShare() {
    return overLater(ReplayResult::getDriverShare);
  }

  /** Returns the driver calls of first passes that allocated memory; null if not counted. */
  public @Nullable MeanAndWorst getFirstMisses() {
    return overFirst((result, pass) -> misses(pass));
  }

  /**
   * Returns the driver calls of later passes that allocated memory; null if not counted or without
   * later passes.
   */
  public @Nullable MeanAndWorst getLaterMisses() {
    return overLater((result, pass) -> misses(pass));
  }

  /** Returns the longest driver time of one call in first passes; null if unknown. */
  public @Nullable MeanAndWorst getFirstLongestDriverNanos() {
    return overFirst((result, pass) -> longest(pass));
  }

  /** Returns the longest driver time of one call in later passes; null if unknown. */
  public @Nullable MeanAndWorst getLaterLongestDriverNanos() {
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

  private @Nullable MeanAndWorst overFirst(PassFigure figure) {
    List<@Nullable Double> figures = new ArrayList<>();
    variations.forEach(each -> figures.add(figure.of(each, each.getFirstPass())));
    return MeanAndWorst.of(figures);
  }

  private @Nullable MeanAndWorst overLater(PassFigure figure) {
    List<@Nullable Double> figures = new ArrayList<>();
    for (ReplayResult each : variations) {
      each.passes().stream().skip(1).forEach(pass -> figures.add(figure.of(each, pass)));
    }
    return MeanAndWorst.of(figures);
  }

  /** Returns the failed allocations over all passes of all variations. */
  public long getFailedAllocations() {
    return variations.stream().mapToLong(ReplayResult::failedAllocations).sum();
  }

  /** Returns the hazards of all checked replays; null if none was checked. */
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

  /** Returns a line for each reason why the run counts as failed; empty for a good run. */
  public List<String> getProblems() {
    List<String> problems = new ArrayList<>(getRecording().getProblems());
    for (int number = 1; number < variations.size(); number++) {
      String where = "variation " + number + ": ";
      variations.get(number).getProblems().forEach(problem -> problems.add(where + problem));
    }
    return problems;
  }
}
