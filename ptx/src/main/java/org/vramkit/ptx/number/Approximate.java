package org.vramkit.ptx.number;

/** The approximate functions of the GPU. */
public final class Approximate {
  private static final long NAN = 0x7fffffffL;

  private Approximate() {}

  private static long bits(double value) {
    return Double.isNaN(value) ? NAN : Float.floatToRawIntBits((float) value);
  }

  private static double flushed(long bits) {
    return Float.intBitsToFloat((int) flush(bits));
  }

  private static long flush(long bits) {
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000L : bits;
  }

  /** Returns a function of one f32. */
  public static Op single(String name) {
    return switch (name) {
      case "rcp" -> (a, b, c) -> bits(1 / (double) Float.intBitsToFloat((int) a));
      case "sqrt" -> (a, b, c) -> bits(Math.sqrt(Float.intBitsToFloat((int) a)));
      case "rsqrt" -> (a, b, c) -> bits(1 / Math.sqrt(Float.intBitsToFloat((int) a)));
      case "sin" -> (a, b, c) -> bits(Math.sin(flushed(a)));
      case "cos" -> (a, b, c) -> bits(Math.cos(flushed(a)));
      case "lg2" -> (a, b, c) -> bits(Math.log(Float.intBitsToFloat((int) a)) / Math.log(2));
      case "ex2" -> (a, b, c) -> bits(Math.pow(2, Float.intBitsToFloat((int) a)));
      default -> (a, b, c) -> bits(Math.tanh(Float.intBitsToFloat((int) a)));
    };
  }

  /** Returns a quotient of f32. */
  public static Op divide(boolean full) {
    return (a, b, c) ->
        bits((double) Float.intBitsToFloat((int) a) / Float.intBitsToFloat((int) b));
  }

  /** Returns a reciprocal of f64, or that of the root, from the upper half of the operand. */
  public static Op doubleReciprocal(boolean root) {
    return (a, b, c) -> {
      double x = Double.longBitsToDouble(a & 0xffffffff00000000L);
      double y = root ? 1 / Math.sqrt(x) : 1 / x;
      return Double.doubleToRawLongBits(y) & 0xffffffff00000000L;
    };
  }

  /** Returns a function of one f16 or bf16. */
  public static Op half(String name, Format format) {
    return name.equals("tanh")
        ? (a, b, c) -> format.encode(Math.tanh(format.decode(a)), Rounding.NEAREST)
        : (a, b, c) -> format.encode(Math.pow(2, format.decode(a)), Rounding.NEAREST);
  }
}
