package org.vramkit.tools.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The trials of which no other is better in one figure and as good in the others. Reserved memory
 * and driver time are exact, but what differs by less than a part in a thousand, or by less than 50
 * us at the driver, differs for nobody. Times per event are measured, and scatter: only a tenth
 * counts.
 */
final class ParetoFront {
  private static final double RESERVED = 1.001;
  private static final double DRIVER = 1.001;
  private static final long DRIVER_NANOS = 50_000;
  private static final double TIME = 1.1;

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
    boolean wins =
        a.reservedBytes() * RESERVED < b.reservedBytes()
            || a.driverNanos() * DRIVER + DRIVER_NANOS < b.driverNanos()
            || time(a) * TIME < time(b);
    boolean loses =
        a.reservedBytes() > b.reservedBytes()
            || a.driverNanos() > b.driverNanos()
            || time(a) > time(b) * TIME;
    return wins && !loses;
  }

  private static boolean isAsGood(Trial a, Trial b) {
    return a.reservedBytes() <= b.reservedBytes() * RESERVED
        && a.driverNanos() <= b.driverNanos() * DRIVER + DRIVER_NANOS
        && time(a) <= time(b) * TIME;
  }

  private static double time(Trial trial) {
    Double nanos = trial.nanosPerEvent();
    return nanos == null ? Double.MAX_VALUE / 2 : nanos;
  }
}
