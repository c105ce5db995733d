package org.vramkit.pool.caching.internal.option;

import java.time.Duration;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.Sizes;

/** The ranges of options. */
final class OptionRange {
  static final Duration LONGEST = Duration.ofDays(10_000);

  private OptionRange() {}

  /**
   * Returns a value that is in the range of an option.
   *
   * @throws InvalidArgumentException if it is not
   */
  static <T> T require(Option<T> option, T value) {
    Objects.requireNonNull(value, option.name);
    switch (option.kind) {
      case SIZE, LIMIT -> requireSize(option, (Long) value);
      case SHARE -> {
        double share = (Double) value;
        check(option, share >= 0 && share <= 1, "from 0 to 1, not " + value);
      }
      case SECONDS -> {
        Duration time = (Duration) value;
        requireTime(
            option, !time.isNegative() && time.compareTo(LONGEST) <= 0, "" + time.toSeconds());
      }
      case HISTORY -> {
        long bytes = ((Option.History) value).bytes();
        boolean isInRange = bytes == 0 || bytes >= Option.LEAST_HISTORY;
        check(option, isInRange, "0 or at least 64 KiB, not " + ByteSize.formatExact(bytes));
      }
      case CHOICE, DEVICES, DIVISIONS, OBJECT -> {}
    }
    return value;
  }

  private static void requireSize(Option<?> option, long bytes) {
    if (option != Option.INITIAL) {
      Sizes.requireNotNegative(option.name, bytes);
      return;
    }
    check(
        option,
        bytes >= 0 && bytes <= SizeRules.MAX_REQUEST,
        "from 0 to 1 EiB, not "
            + ByteSize.formatExact(bytes)
            + (bytes < 0 ? "; " + ByteSize.NEGATIVE_HINT : ""));
  }

  static void requireTime(Option<?> option, boolean isInRange, String seconds) {
    check(option, isInRange, "from 0 to " + LONGEST.toDays() + " days, not " + seconds + " s");
  }

  static void check(Option<?> option, boolean isInRange, String range) {
    if (!isInRange) {
      throw new InvalidArgumentException(option.name + " must be " + range);
    }
  }
}
