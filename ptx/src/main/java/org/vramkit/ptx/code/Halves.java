package org.vramkit.ptx.code;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Approximate;
import org.vramkit.ptx.number.Format;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.number.Rounding;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Type;

/** Arithmetic of f16 and bf16, alone and in pairs. */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
final class Halves {
  private Halves() {}

  static boolean handles(Type type) {
    return switch (type) {
      case F16, BF16, F16X2, BF16X2 -> true;
      default -> false;
    };
  }

  static @Nullable Op find(Instruction at) {
    Type type = at.getType();
    Op half = single(at, Comparisons.format(type));
    if (half == null || !type.isPacked()) {
      return half;
    }
    return packed(half);
  }

  static Op packed(Op half) {
    return (a, b, c) ->
        (half.apply(a >>> 16 & 0xffff, b >>> 16 & 0xffff, c >>> 16 & 0xffff) & 0xffff) << 16
            | half.apply(a & 0xffff, b & 0xffff, c & 0xffff) & 0xffff;
  }

  private static @Nullable Op single(Instruction at, Format f) {
    boolean oob = at.has("oob");
    boolean ftz = at.has("ftz");
    Op op =
        switch (at.opcode) {
          case "add" -> (a, b, c) -> f.encode(f.decode(a) + f.decode(b), Rounding.NEAREST);
          case "sub" -> (a, b, c) -> f.encode(f.decode(a) - f.decode(b), Rounding.NEAREST);
          case "mul" -> (a, b, c) -> rounded(f, f.decode(a) * f.decode(b), ftz);
          case "fma" ->
              (a, b, c) ->
                  oob && (f.isNan(a) || f.isNan(b)) && (a == f.nan() || b == f.nan())
                      ? 0
                      : fma(f, f.decode(a), f.decode(b), f.decode(c), ftz);
          case "min", "max" -> Floats.extreme(at, f);
          case "neg" -> (a, b, c) -> f.isNan(a) ? f.nan() : a ^ f.sign();
          case "abs" -> (a, b, c) -> f.isNan(a) ? f.nan() : a & ~f.sign();
          case "tanh", "ex2" -> Approximate.half(at.opcode, f);
          default -> null;
        };
    if (op == null) {
      return null;
    }
    Op clipped = Floats.modified(op, f, ftz, at.has("sat"));
    return at.has("relu") ? (a, b, c) -> relu(f, clipped.apply(a, b, c)) : clipped;
  }

  private static long rounded(Format f, double value, boolean ftz) {
    return ftz && f.isTinyWhenRounded(value)
        ? f.encode(Math.copySign(0, value), Rounding.NEAREST)
        : f.encode(value, Rounding.NEAREST);
  }

  static long relu(Format f, long bits) {
    return f.isNan(bits) ? f.nan() : (bits & f.sign()) != 0 ? 0 : bits;
  }

  /** Rounds once: the sum is truncated to double, with the rest as a sticky bit. */
  static long fma(Format f, double a, double b, double c, boolean ftz) {
    double product = a * b;
    double sum = product + c;
    if (ftz && f.isTinyWhenRounded(sum)) {
      return rounded(f, sum, true);
    }
    double part = sum - product;
    double error = (product - (sum - part)) + (c - part);
    if (error == 0 || !Double.isFinite(sum)) {
      return f.encode(sum, Rounding.NEAREST);
    }
    boolean beyond = error > 0 != sum > 0;
    double truncated = beyond ? sum > 0 ? Math.nextDown(sum) : Math.nextUp(sum) : sum;
    return f.encode(truncated, true, Rounding.NEAREST);
  }
}
