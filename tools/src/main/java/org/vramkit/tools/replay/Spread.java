package org.vramkit.tools.replay;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A figure over several replays, or over passes of them.
 *
 * @param mean its mean
 * @param worst the largest of it
 */
public record Spread(double mean, double worst) {

  /** The spread of some figures; null if there are none or one of them is null. */
  static @Nullable Spread of(List<@Nullable Double> figures) {
    double sum = 0;
    double worst = 0;
    for (Double each : figures) {
      if (each == null) {
        return null;
      }
      sum += each;
      worst = Math.max(worst, each);
    }
    return figures.isEmpty() ? null : new Spread(sum / figures.size(), worst);
  }
}
