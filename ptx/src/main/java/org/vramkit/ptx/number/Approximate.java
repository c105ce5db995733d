package org.vramkit.ptx.number;

/**
 * The approximate functions of the GPU, as near to it as a formula gets: the tables of its function
 * unit are not published. docs/kernels.md has the distances from an H200.
 */
public final class Approximate {
  private static final long NAN = 0x7fffffffL;

  /** One over two pi, as a float: sin and cos multiply by it and take the fraction of a turn. */
  private static final float TURNS = Float.intBitsToFloat(0x3e22f983);

  /** The function unit keeps this many bits of the fraction of a turn. */
  private static final double TURN_STEPS = 1 << 26;

  private static final double LN2 = Math.log(2);

  private Approximate() {}

  private static float single(long bits) {
    return Float.intBitsToFloat((int) bits);
  }

  private static long bits(double value) {
    return Double.isNaN(value) ? NAN : Float.floatToRawIntBits((float) value);
  }

  private static long flush(long bits) {
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000L : bits;
  }

  /** Returns a function of one f32. */
  public static Op single(String name) {
    return switch (name) {
      case "rcp" -> (a, b, c) -> bits(1 / (double) single(a));
      case "sqrt" -> (a, b, c) -> bits(Math.sqrt(single(a)));
      case "rsqrt" -> (a, b, c) -> bits(1 / Math.sqrt(single(a)));
      case "sin" -> (a, b, c) -> bits(turn(single(flush(a)), true));
      case "cos" -> (a, b, c) -> bits(turn(single(flush(a)), false));
      case "lg2" -> (a, b, c) -> logarithm(single(a));
      case "ex2" -> (a, b, c) -> bits(power(single(a)));
      default -> (a, b, c) -> bits(Math.tanh(single(a)));
    };
  }

  private static double turn(float x, boolean sine) {
    if (Float.isInfinite(x)) {
      return Double.NaN;
    }
    double exact = (double) x * TURNS;
    float turns = (float) exact;
    if (Math.abs(turns) > Math.abs(exact)) {
      turns = turns > 0 ? Math.nextDown(turns) : Math.nextUp(turns);
    }
    double fraction = Math.floor(Math.abs((double) turns) % 1 * TURN_STEPS) / TURN_STEPS;
    // Exact at quarters, where the JDK's functions are not.
    double angle = 2 * Math.PI * fraction;
    if (sine) {
      double value = fraction == 0.5 ? -0.0 : fraction == 0 ? 0 : Math.sin(angle);
      return x < 0 || 1 / x < 0 ? -value : value;
    }
    return fraction % 0.5 == 0.25 ? fraction < 0.5 ? -0.0 : 0 : Math.cos(angle);
  }

  /** A fixed-point number of 23 bits, in ones' complement if negative, truncated to a float. */
  private static long logarithm(float x) {
    if (x > 0 && x < Float.MIN_NORMAL) {
      return bits(single(logarithm(x * 0x1p24f)) - 24);
    }
    double exact = Math.log(x) / LN2;
    if (!(Math.abs(exact) > 0x1p-2) || Double.isInfinite(exact)) {
      return bits(exact);
    }
    double nearest = Math.rint(exact);
    double steps = Math.floor((Math.abs(exact - nearest) < 0x1p-40 ? nearest : exact) * 0x1p23);
    double magnitude = steps < 0 ? -steps - 1 : steps;
    long bits = Format.F32.encode(magnitude * 0x1p-23, Rounding.ZERO);
    return steps < 0 ? bits | 0x80000000L : bits;
  }

  /** A negative power has its fraction in ones' complement, so it is less by a unit. */
  private static double power(float x) {
    if (x < -126 && x > -512) {
      float half = (float) power(x * 0.5f);
      return (double) half * half;
    }
    boolean below = x < -0x1p-23 && x != Math.rint(x);
    return Math.pow(2, below ? x - 0x1p-23 : x);
  }

  /**
   * Returns a quotient of f32: the dividend times the reciprocal. Both are scaled before if the
   * divisor is denormal, or large and the division {@code full}.
   */
  public static Op divide(boolean full) {
    return (a, b, c) -> {
      float x = single(a);
      float y = single(b);
      if (full && Math.abs(y) > 0x1p126f) {
        x *= 0.25f;
        y *= 0.25f;
      } else if (Math.abs(y) < Float.MIN_NORMAL) {
        x *= 0x1p24f;
        y *= 0x1p24f;
      }
      float reciprocal = (float) (1 / (double) single(flush(Float.floatToRawIntBits(y))));
      return bits(x * single(flush(Float.floatToRawIntBits(reciprocal))));
    };
  }

  /**
   * Returns a reciprocal of f64, or that of the root; {@code ftz} looks at the upper half alone.
   */
  public static Op doubleReciprocal(boolean root, boolean ftz) {
    if (!ftz) {
      return (a, b, c) -> {
        double y = inverseRoot(Double.longBitsToDouble(a));
        boolean nan = Double.isNaN(y) && !Format.F64.isNan(a);
        return nan
            ? 0xfff8000000000000L
            : Format.F64.isNan(a) ? a | 1L << 51 : Double.doubleToRawLongBits(y);
      };
    }
    return (a, b, c) -> {
      long upper = Format.F64.flush(a) & 0xffffffff00000000L;
      double x = Double.longBitsToDouble(upper);
      if (Double.isNaN(x) || (root && x < 0)) {
        return 0x7fffffff00000000L;
      }
      long y = Double.doubleToRawLongBits(root ? 1 / Math.sqrt(x) : 1 / x);
      return Format.F64.flush(y) & 0xffffffff00000000L;
    };
  }

  /** One over the root, with a correction, so that it is rounded almost always as if exact. */
  private static double inverseRoot(double x) {
    double y = 1 / Math.sqrt(x);
    if (x < Double.MIN_NORMAL || !Double.isFinite(x)) {
      return x > 0 && x < Double.MIN_NORMAL ? inverseRoot(x * 0x1p200) * 0x1p100 : y;
    }
    double product = x * y;
    double rest = Math.fma(x, y, -product);
    double error = Math.fma(-product, y, 1) - rest * y;
    return Math.fma(0.5 * error, y, y);
  }

  /** Returns a function of one f16 or bf16: that of f32, truncated except for powers of bf16. */
  public static Op half(String name, Format format) {
    if (name.equals("tanh")) {
      return (a, b, c) -> {
        double x = format.decode(a);
        return Math.abs(x) < 0x1p-9 ? a : format.encode(Math.tanh(x), Rounding.ZERO);
      };
    }
    Rounding mode = format == Format.F16 ? Rounding.ZERO : Rounding.NEAREST;
    return (a, b, c) -> {
      float power = (float) Math.pow(2, format.decode(a));
      return power > format.decode(format.largest())
          ? format.infinity()
          : format.encode(power, mode);
    };
  }
}
