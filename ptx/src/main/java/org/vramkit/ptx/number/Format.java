package org.vramkit.ptx.number;

/** Binary floating-point formats, with exact conversions from and to double and integers. */
public enum Format {
  F64(11, 52),
  F32(8, 23),
  TF32(8, 10),
  F16(5, 10),
  BF16(8, 7),
  E5M2(5, 2),
  /** Has no infinity; its largest value uses the last exponent. */
  E4M3(4, 3);

  private static final int DOUBLE_BIAS = 1075;

  private final int exponentBits;
  private final int mantissaBits;
  private final int bias;

  Format(int exponentBits, int mantissaBits) {
    this.exponentBits = exponentBits;
    this.mantissaBits = mantissaBits;
    this.bias = (1 << (exponentBits - 1)) - 1;
  }

  public int getMantissaBits() {
    return mantissaBits;
  }

  public long infinity() {
    return ((1L << exponentBits) - 1) << mantissaBits;
  }

  /** Returns the largest finite value. */
  public long largest() {
    return this == E4M3 ? 0x7e : infinity() - 1;
  }

  /** Returns the one NaN that arithmetic gives. */
  public long nan() {
    return this == E5M2 || this == E4M3 ? 0x7f : (1L << (exponentBits + mantissaBits)) - 1;
  }

  public long sign() {
    return 1L << (exponentBits + mantissaBits);
  }

  public boolean isNan(long bits) {
    long magnitude = bits & (sign() - 1);
    return this == E4M3 ? magnitude == 0x7f : magnitude > infinity();
  }

  /** Returns whether the bits are a denormal number or zero. */
  public boolean isTiny(long bits) {
    return (bits & infinity()) == 0;
  }

  /**
   * Returns whether a value is below the normal numbers even if it is rounded to their precision.
   */
  public boolean isTinyWhenRounded(double value) {
    double smallest = Math.scalb(1.0, 1 - bias);
    return Math.abs(value) < smallest * (1 - Math.scalb(1.0, -mantissaBits - 2));
  }

  /** Replaces denormal numbers by zeros of their sign. */
  public long flush(long bits) {
    return isTiny(bits) ? bits & sign() : bits;
  }

  /** Clips to the range from 0 to 1; NaN becomes 0. */
  public long clip(long bits) {
    double value = decode(bits);
    return value > 0 ? value > 1 ? encode(1.0, Rounding.NEAREST) : bits : 0;
  }

  /** Returns the exact value; NaN for any NaN. */
  public double decode(long bits) {
    if (this == F64) {
      return Double.longBitsToDouble(bits);
    }
    if (isNan(bits)) {
      return Double.NaN;
    }
    int exponent = (int) (bits >>> mantissaBits) & ((1 << exponentBits) - 1);
    long mantissa = bits & ((1L << mantissaBits) - 1);
    boolean negative = (bits & sign()) != 0;
    double value;
    if (exponent == (1 << exponentBits) - 1 && this != E4M3) {
      value = Double.POSITIVE_INFINITY;
    } else if (exponent == 0) {
      value = Math.scalb((double) mantissa, 1 - bias - mantissaBits);
    } else {
      value = Math.scalb((double) (mantissa | 1L << mantissaBits), exponent - bias - mantissaBits);
    }
    return negative ? -value : value;
  }

  /** Rounds a double. */
  public long encode(double value, Rounding mode) {
    return encode(value, false, mode);
  }

  /** Rounds a double that is the truncation of an exact value if {@code sticky}. */
  public long encode(double value, boolean sticky, Rounding mode) {
    if (Double.isNaN(value)) {
      return nan();
    }
    long bits = Double.doubleToRawLongBits(value);
    boolean negative = bits < 0;
    if (Double.isInfinite(value)) {
      return infinity() | (negative ? sign() : 0);
    }
    int exponent = (int) (bits >>> 52) & 0x7ff;
    long mantissa = bits & 0xfffffffffffffL;
    mantissa |= exponent == 0 ? 0 : 1L << 52;
    return encode(negative, mantissa, Math.max(exponent, 1) - DOUBLE_BIAS, sticky, mode);
  }

  /** Rounds an integer. */
  public long encode(long value, boolean signed, Rounding mode) {
    boolean negative = signed && value < 0;
    return encode(negative, negative ? -value : value, 0, false, mode);
  }

  /**
   * Rounds magnitude times two to the exponent.
   *
   * @param magnitude unsigned
   * @param sticky whether the exact magnitude is larger by a fraction
   */
  public long encode(
      boolean negative, long magnitude, int exponent, boolean sticky, Rounding mode) {
    long sign = negative ? sign() : 0;
    if (magnitude == 0 && !sticky) {
      return sign;
    }
    int length = 64 - Long.numberOfLeadingZeros(magnitude);
    int lowest = 1 - bias - mantissaBits;
    // The exponent of the last kept bit.
    int unit = Math.max(length + exponent - mantissaBits - 1, lowest);
    int drop = unit - exponent;
    long kept;
    boolean half = false;
    boolean rest = sticky;
    if (drop <= 0) {
      kept = magnitude << -drop;
    } else {
      kept = drop > 63 ? 0 : magnitude >>> drop;
      half = drop <= 64 && (magnitude >>> (drop - 1) & 1) != 0;
      long below = drop > 64 ? -1 : (1L << (drop - 1)) - 1;
      rest |= (magnitude & below) != 0;
    }
    if (mode.up(negative, (kept & 1) != 0, half, rest)) {
      kept++;
    }
    long bits = kept + ((long) (unit - lowest) << mantissaBits);
    if (bits > largest()) {
      boolean toLargest =
          mode == Rounding.ZERO
              || (mode == Rounding.DOWN && !negative)
              || (mode == Rounding.UP && negative);
      bits = toLargest ? largest() : this == E4M3 ? nan() : infinity();
    }
    return bits | sign;
  }
}
