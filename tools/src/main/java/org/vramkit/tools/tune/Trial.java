package org.vramkit.tools.tune;

import org.jspecify.annotations.Nullable;

/**
 * What a combination did with a trace.
 *
 * @param combination what was tried
 * @param reservedBytes most memory that was held
 * @param driverNanos what a real driver would take for the calls, by the cost model
 * @param driverCalls how many there were
 * @param failed allocations that were refused
 * @param nanosPerEvent host time per event, measured while nothing else was replayed; null if not
 *     measured
 * @param smallestBytes the smallest memory of a device on which nothing is refused; null if it was
 *     not asked for
 * @param problem why it cannot be tried at all; null if it could
 */
public record Trial(
    Combination combination,
    long reservedBytes,
    long driverNanos,
    long driverCalls,
    long failed,
    @Nullable Double nanosPerEvent,
    @Nullable Long smallestBytes,
    @Nullable String problem) {

  /** Whether every allocation was served. */
  public boolean isSound() {
    return failed == 0 && problem == null;
  }

  /** Whether another one reserved as much and called the driver as often and as long. */
  boolean isLike(Trial other) {
    return reservedBytes == other.reservedBytes
        && driverNanos == other.driverNanos
        && driverCalls == other.driverCalls
        && failed == other.failed;
  }

  Trial withTime(double nanos) {
    return new Trial(
        combination,
        reservedBytes,
        driverNanos,
        driverCalls,
        failed,
        nanosPerEvent == null ? nanos : Math.min(nanos, nanosPerEvent),
        smallestBytes,
        problem);
  }

  Trial withSmallest(long bytes) {
    return new Trial(
        combination,
        reservedBytes,
        driverNanos,
        driverCalls,
        failed,
        nanosPerEvent,
        bytes,
        problem);
  }
}
