package org.vramkit.tools.replay;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Mean and maximum of a figure over several replays or passes.
 *
 * @param mean the mean
 * @param worst the maximum
 */
public record MeanAndWorst(double mean, double worst) {

  /** Summarises figures; returns null if there are none, or if a figure is null. */
  static @Nullable MeanAndWorst of(List<@Nullable Double> figures) {
    double sum = 0;
    double worst = 0;
    for (Double each : figures) {
      if (each == null) {
        return null;
      }
      sum += each;
      worst = Math.max(worst, each);
    }
    return figures.isEmpty() ? null : new MeanAndWorst(sum / figures.size(), worst);
  }
}
