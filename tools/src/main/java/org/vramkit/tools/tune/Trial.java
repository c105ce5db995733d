package org.vramkit.tools.tune;

import org.jspecify.annotations.Nullable;

/**
 * The figures of one combination on a trace.
 *
 * @param combination the combination
 * @param reservedBytes peak of reserved memory
 * @param driverNanos modelled time of the driver calls
 * @param driverCalls number of driver calls
 * @param failed number of failed allocations
 * @param hostTime host time per event, measured without parallel replays; null if not measured
 * @param smallestBytes smallest device memory on which no allocation fails; null if not searched
 * @param problem why the combination is invalid; null if it is valid
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

  private static final double TOLERANCE = 1.001;
  private static final long DRIVER_TOLERANCE_NANOS = 50_000;

  /** Returns whether the combination is valid and no allocation failed. */
  public boolean isSound() {
    return failed == 0 && problem == null;
  }

  /** Returns whether another trial has the same memory, driver calls and failures. */
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

  /** Returns whether this trial reserves less than another by more than 0.1 %. */
  public boolean reservesLessThan(Trial other) {
    return reservedBytes * TOLERANCE < other.reservedBytes;
  }

  /**
   * Returns whether this trial takes less driver time than another by more than 0.1 % and 50 us.
   */
  public boolean callsLessThan(Trial other) {
    return driverNanos * TOLERANCE + DRIVER_TOLERANCE_NANOS < other.driverNanos;
  }

  /** Returns whether this trial's host time is significantly lower; false if one is unknown. */
  public boolean isQuickerThan(Trial other) {
    return hostTime != null && other.hostTime != null && hostTime.isClearlyBelow(other.hostTime);
  }
}
