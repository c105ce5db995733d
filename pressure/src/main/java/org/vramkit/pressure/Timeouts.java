package org.vramkit.pressure;

import java.time.Duration;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;

/** Checks and converts the timeouts of callers. */
final class Timeouts {
  private Timeouts() {}

  static Duration requireNotNegative(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    if (timeout.isNegative()) {
      throw new InvalidArgumentException(
          "a timeout must not be negative: " + timeout + "; zero does not wait");
    }
    return timeout;
  }

  /** Converts a timeout to nanoseconds, at most 292 years. */
  static long nanosOf(Duration timeout) {
    try {
      return timeout.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }
}
