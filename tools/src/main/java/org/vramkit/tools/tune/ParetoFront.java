package org.vramkit.tools.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Computes the Pareto front of trials over reserved memory, driver time and host time per event.
 * Memory and driver time are exact, but differences below 0.1 %, or below 50 us of driver time, are
 * ignored. Host times differ only if their measured ranges do not overlap.
 */
final class ParetoFront {
  private ParetoFront() {}

  /** Returns the front, sorted by reserved memory. */
  static List<Trial> of(List<Trial> trials) {
    // The first of equal trials is kept, so trials with few options come first.
    List<Trial> ordered =
        trials.stream()
            .filter(Trial::isSound)
            .sorted(
                Comparator.comparingLong(Trial::reservedBytes)
                    .thenComparingLong(Trial::driverNanos)
                    .thenComparingInt(each -> each.combination().options().size()))
            .toList();
    List<Trial> front = new ArrayList<>();
    for (Trial each : ordered) {
      if (ordered.stream().noneMatch(other -> isBetter(other, each))
          && front.stream().noneMatch(other -> isAsGood(other, each))) {
        front.add(each);
      }
    }
    return front;
  }

  /** Returns whether {@code a} is better than {@code b} in one figure and not worse in any. */
  private static boolean isBetter(Trial a, Trial b) {
    boolean wins = a.reservesLessThan(b) || a.callsLessThan(b) || a.isQuickerThan(b);
    boolean loses =
        a.reservedBytes() > b.reservedBytes()
            || a.driverNanos() > b.driverNanos()
            || b.isQuickerThan(a);
    return wins && !loses;
  }

  private static boolean isAsGood(Trial a, Trial b) {
    return !b.reservesLessThan(a) && !b.callsLessThan(a) && !b.isQuickerThan(a);
  }
}
