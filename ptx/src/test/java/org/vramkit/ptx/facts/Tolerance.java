package org.vramkit.ptx.facts;

import java.util.List;
import java.util.Map;

/** The distances from a GPU that the manual allows for approximate functions. */
final class Tolerance {
  /** Relative errors, or absolute ones if negative. */
  private static final Map<String, Double> ALLOWED =
      Map.of(
          "rcp.approx", 0x1p-23,
          "rsqrt.approx", 0x1p-22,
          "ex2.approx", 0x1p-22,
          "div.", 0x1p-22,
          "lg2.approx", -0x1p-21,
          "sin.approx", -0x1p-20,
          "cos.approx", -0x1p-20,
          "tanh.approx", 0x1p-10);

  private Tolerance() {}

  static boolean allows(String instruction, List<String> expected, List<String> found) {
    Double allowed = null;
    for (Map.Entry<String, Double> each : ALLOWED.entrySet()) {
      if (instruction.startsWith(each.getKey())) {
        allowed = each.getValue();
      }
    }
    boolean approximate = instruction.contains("approx") || instruction.contains("div.full");
    if (allowed == null || !approximate || expected.size() != 1) {
      return false;
    }
    long one = Long.parseUnsignedLong(expected.get(0), 16);
    long other = Long.parseUnsignedLong(found.get(0), 16);
    if (instruction.contains("x2")) {
      return near(half(one >>> 16, instruction), half(other >>> 16, instruction), 0x1p-7)
          && near(half(one, instruction), half(other, instruction), 0x1p-7);
    }
    if (instruction.contains("f16")) {
      return near(half(one, instruction), half(other, instruction), 0x1p-7);
    }
    return near(Float.intBitsToFloat((int) one), Float.intBitsToFloat((int) other), allowed);
  }

  private static boolean near(double one, double other, double allowed) {
    double limit = allowed < 0 ? -allowed : allowed * Math.abs(one);
    return Math.abs(one - other) <= Math.max(limit, 0x1p-24);
  }

  private static double half(long bits, String instruction) {
    if (instruction.contains("bf16")) {
      return Float.intBitsToFloat((int) (bits & 0xffff) << 16);
    }
    int exponent = (int) (bits >>> 10) & 31;
    double mantissa = bits & 0x3ff;
    double value =
        exponent == 0 ? Math.scalb(mantissa, -24) : Math.scalb(mantissa + 1024, exponent - 25);
    return (bits & 0x8000) == 0 ? value : -value;
  }
}
