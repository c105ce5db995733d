package org.vramkit.tools.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The trials of which no other is better in one figure and as good in the others. Reserved memory
 * and driver time are exact, but what differs by less than a part in a thousand, or by less than 50
 * us at the driver, makes no difference. Times per event are measured, and scatter: they differ
 * where their spreads lie apart.
 */
final class ParetoFront {
  private ParetoFront() {}

  /** The front, the least reserved first. */
  static List<Trial> of(List<Trial> trials) {
    // Of equal ones the first stays, which has the fewest options.
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

  /** Beats it clearly in one figure, and loses in none. */
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
