package org.vramkit.tools;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a whole number between two bounds, which its errors name. Each option names a class below
 * as its converter, so that a wrong number is refused before a command begins.
 */
public abstract class WholeNumber implements ITypeConverter<Long> {
  private final long least;
  private final long most;

  /**
   * Takes the bounds.
   *
   * @param least the least that is taken
   * @param most the most that is taken
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
      // Told as one that is out of bounds is.
    }
    throw new TypeConversionException(
        "must be a whole number from " + least + " to " + most + ", not '" + text + "'");
  }

  /** Any number that a {@code long} can be. */
  public static final class Any extends WholeNumber {
    /** The bounds of the type. */
    public Any() {
      super(Long.MIN_VALUE, Long.MAX_VALUE);
    }
  }

  /** Any number but negative ones. */
  public static final class FromZero extends WholeNumber {
    /** As many as a {@code long} can be. */
    public FromZero() {
      super(0, Long.MAX_VALUE);
    }
  }

  /** How many of something there are to be, or how often: as many as an {@code int} can be. */
  public static final class FromOne extends WholeNumber {
    /** As many as an {@code int} can be. */
    public FromOne() {
      super(1, Integer.MAX_VALUE);
    }
  }
}
