package org.vramkit.tools.tune;

import org.jspecify.annotations.Nullable;

/**
 * The figures of a combination on a trace.
 *
 * @param combination what was tried
 * @param reservedBytes most memory that was held
 * @param driverNanos what a real driver would take for the calls, by the cost model
 * @param driverCalls how many there were
 * @param failed allocations that were refused
 * @param hostTime host time per event, measured while nothing else was replayed; null if not
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
    @Nullable HostTime hostTime,
    @Nullable Long smallestBytes,
    @Nullable String problem) {

  private static final double PART = 1.001;
  private static final long DRIVER_NANOS = 50_000;

  /** Returns whether every allocation was served. */
  public boolean isSound() {
    return failed == 0 && problem == null;
  }

  /** Returns whether another one reserved as much and called the driver as often and as long. */
  boolean isLike(Trial other) {
    return reservedBytes == other.reservedBytes
        && driverNanos == other.driverNanos
        && driverCalls == other.driverCalls
        && failed == other.failed;
  }

  Trial withTime(HostTime time) {
    return new Trial(
        combination, reservedBytes, driverNanos, driverCalls, failed, time, smallestBytes, problem);
  }

  Trial withSmallest(long bytes) {
    return new Trial(
        combination, reservedBytes, driverNanos, driverCalls, failed, hostTime, bytes, problem);
  }

  /** Returns whether this one reserves less than another, by more than a part in a thousand. */
  public boolean reservesLessThan(Trial other) {
    return reservedBytes * PART < other.reservedBytes;
  }

  /**
   * Returns whether this one takes less of the driver's time, by more than a part in a thousand and
   * 50 us.
   */
  public boolean callsLessThan(Trial other) {
    return driverNanos * PART + DRIVER_NANOS < other.driverNanos;
  }

  /** Returns whether this one is clearly quicker than another; unknown times are not. */
  public boolean isQuickerThan(Trial other) {
    return hostTime != null && other.hostTime != null && hostTime.isClearlyBelow(other.hostTime);
  }
}
