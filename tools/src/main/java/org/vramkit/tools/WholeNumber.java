package org.vramkit.tools;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converts a whole number within bounds. Options name a subclass as their converter, so that a
 * number out of range is refused before the command runs.
 */
public abstract class WholeNumber implements ITypeConverter<Long> {
  private final long least;
  private final long most;

  /**
   * Sets the bounds.
   *
   * @param least the lower bound, inclusive
   * @param most the upper bound, inclusive
   */
  protected WholeNumber(long least, long most) {
    this.least = least;
    this.most = most;
  }

  @Override
  public Long convert(String text) {
    try {
      long value = Long.parseLong(text.strip());
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Reported below, like a number out of bounds.
    }
    throw new TypeConversionException(
        "must be a whole number from " + least + " to " + most + ", not '" + text + "'");
  }

  /** Accepts any {@code long}. */
  public static final class Any extends WholeNumber {
    /** Creates the converter. */
    public Any() {
      super(Long.MIN_VALUE, Long.MAX_VALUE);
    }
  }

  /** Accepts 0 to {@link Long#MAX_VALUE}. */
  public static final class FromZero extends WholeNumber {
    /** Creates the converter. */
    public FromZero() {
      super(0, Long.MAX_VALUE);
    }
  }

  /** Accepts 1 to {@link Integer#MAX_VALUE}, for counts. */
  public static final class FromOne extends WholeNumber {
    /** Creates the converter. */
    public FromOne() {
      super(1, Integer.MAX_VALUE);
    }
  }
}
