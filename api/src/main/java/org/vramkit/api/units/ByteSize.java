package org.vramkit.api.units;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checked arithmetic, parsing and formatting of sizes in bytes. */
public final class ByteSize {
  /** 1024 bytes. */
  public static final long KIB = 1L << 10;

  /** 1024 KiB. */
  public static final long MIB = 1L << 20;

  /** 1024 MiB. */
  public static final long GIB = 1L << 30;

  /** 1024 GiB. */
  public static final long TIB = 1L << 40;

  /** Advice in errors about negative sizes: the usual cause, and its remedy. */
  public static final String NEGATIVE_HINT =
      "an int that overflows is negative, so compute sizes as long, such as 1L << 31";

  private static final String UNITS = "KMGTPE";

  /** The form of a size as text; programs that parse none do not compile it. */
  private static final class Text {
    static final Pattern FORM =
        Pattern.compile("\\s*(\\d+(?:\\.\\d+)?)\\s*([KMGTPE]?)(I?)(B?)\\s*");
  }

  private ByteSize() {}

  /**
   * Multiplies a count by a width.
   *
   * @param count the number of elements, not negative
   * @param width bytes of one element, not negative
   * @return the total bytes
   * @throws ArithmeticException if the product exceeds {@link Long#MAX_VALUE}; the message names
   *     both factors
   * @throws IllegalArgumentException if a factor is negative
   */
  public static long multiply(long count, long width) {
    if (count < 0 || width < 0) {
      throw new IllegalArgumentException(
          "size must not be negative: "
              + count
              + " elements x "
              + width
              + " bytes; "
              + NEGATIVE_HINT);
    }
    long high = Math.multiplyHigh(count, width);
    long low = count * width;
    if (high != 0 || low < 0) {
      throw new ArithmeticException(
          "size overflows 2^63 - 1: " + count + " elements x " + width + " bytes");
    }
    return low;
  }

  /**
   * Rounds up to a multiple.
   *
   * @param bytes the size, not negative
   * @param quantum a power of two
   * @return the smallest multiple of {@code quantum} that is at least {@code bytes}
   * @throws ArithmeticException if the result exceeds {@link Long#MAX_VALUE}
   */
  public static long roundUp(long bytes, long quantum) {
    long rounded = (bytes + quantum - 1) & -quantum;
    if (rounded < bytes) {
      throw new ArithmeticException("size overflows 2^63 - 1: " + bytes + " up to " + quantum);
    }
    return rounded;
  }

  /**
   * Formats a size with its exact bytes, such as {@code 1.00 GiB (1,073,741,825 bytes)}. Use it for
   * a size that misses a bound, because the rounded value alone may look like the bound.
   *
   * @param bytes the size; may be negative
   */
  public static String formatExact(long bytes) {
    return format(bytes) + " (" + Count.of(bytes, "byte") + ")";
  }

  /**
   * Formats a size: exact bytes below 1 KiB, otherwise two decimals and a unit, such as {@code
   * 12.26 GiB}.
   *
   * @param bytes the size; may be negative
   */
  public static String format(long bytes) {
    return format(bytes, RoundingMode.HALF_UP);
  }

  /**
   * Formats a size as {@link #format} does, but rounds up, by less than 1 MiB: {@code 1024.01 MiB}
   * rather than {@code 1.01 GiB}. Use it for a size that must suffice.
   *
   * @param bytes the size; may be negative
   */
  public static String formatUp(long bytes) {
    return format(bytes, RoundingMode.CEILING);
  }

  /**
   * Formats a size as {@link #format} does, but rounds down, by less than 1 MiB. Use it for the
   * size of free memory.
   *
   * @param bytes the size; may be negative
   */
  public static String formatDown(long bytes) {
    return format(bytes, RoundingMode.FLOOR);
  }

  /**
   * Formats a size as options take it, exactly and without a space: {@code 2MiB}, {@code 1.5GiB},
   * {@code 4999B}. A shell passes it as one word, and {@link #parse} returns the same bytes.
   *
   * @param bytes the size, not negative
   */
  public static String formatOption(long bytes) {
    for (int unit = UNITS.length(); unit > 0; unit--) {
      BigDecimal unitBytes = new BigDecimal(BigInteger.ONE.shiftLeft(10 * unit));
      BigDecimal value = new BigDecimal(bytes).divide(unitBytes).setScale(2, RoundingMode.CEILING);
      boolean isExact = value.multiply(unitBytes).toBigInteger().equals(BigInteger.valueOf(bytes));
      if (isExact && value.compareTo(BigDecimal.ONE) >= 0) {
        return value.stripTrailingZeros().toPlainString() + UNITS.charAt(unit - 1) + "iB";
      }
    }
    return bytes + "B";
  }

  private static String format(long bytes, RoundingMode rounding) {
    double value = Math.abs((double) bytes);
    if (value < KIB) {
      return bytes + " B";
    }
    int unit = -1;
    while (value >= KIB && unit < UNITS.length() - 1) {
      value /= KIB;
      unit++;
    }
    BigDecimal rounded = inUnits(bytes, unit, rounding);
    while (rounding != RoundingMode.HALF_UP && unit > 1 && error(bytes, rounded, unit) >= MIB) {
      unit--;
      rounded = inUnits(bytes, unit, rounding);
    }
    return rounded + " " + UNITS.charAt(unit) + "iB";
  }

  private static BigDecimal inUnits(long bytes, int unit, RoundingMode rounding) {
    return new BigDecimal(bytes).divide(unitBytes(unit)).setScale(2, rounding);
  }

  private static double error(long bytes, BigDecimal rounded, int unit) {
    return rounded.multiply(unitBytes(unit)).subtract(new BigDecimal(bytes)).abs().doubleValue();
  }

  private static BigDecimal unitBytes(int unit) {
    return new BigDecimal(BigInteger.ONE.shiftLeft(10 * (unit + 1)));
  }

  /**
   * Parses a size: {@code 4096}, {@code 512KiB}, {@code 8 GiB}, {@code 1.5g}. Units are powers of
   * 1024. Their {@code i} and {@code B} may be left out, and case does not matter.
   *
   * @param text the size as text
   * @return the size in bytes; a fraction of a unit, such as {@code 12.26GiB}, is rounded down to a
   *     whole byte
   * @throws IllegalArgumentException if the text is not a size, is a fraction without a unit, or
   *     exceeds {@link Long#MAX_VALUE}
   */
  public static long parse(String text) {
    Objects.requireNonNull(text, "text");
    Matcher matcher = Text.FORM.matcher(text.toUpperCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "not a size: '" + text + "'; write bytes or a unit, such as 4096, 512KiB, 8GiB");
    }
    int shift = matcher.group(2).isEmpty() ? 0 : 10 * (UNITS.indexOf(matcher.group(2)) + 1);
    BigDecimal bytes =
        new BigDecimal(matcher.group(1)).multiply(new BigDecimal(BigInteger.ONE.shiftLeft(shift)));
    if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException("size exceeds 2^63 - 1 bytes: '" + text + "'");
    }
    if (shift == 0 && bytes.stripTrailingZeros().scale() > 0) {
      throw new IllegalArgumentException(
          "size is not a whole number of bytes: '" + text + "'; round it, or add a unit");
    }
    return bytes.longValue();
  }
}
