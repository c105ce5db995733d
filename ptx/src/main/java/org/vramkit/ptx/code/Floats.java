package org.vramkit.ptx.code;

import static org.vramkit.ptx.number.Format.F32;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Approximate;
import org.vramkit.ptx.number.Exact;
import org.vramkit.ptx.number.Exact.Kind;
import org.vramkit.ptx.number.Format;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.number.Rounding;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Type;

/** Arithmetic of f32 and f64. Every NaN of f32 is one NaN; those of f64 keep their payload. */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
final class Floats {
  static final long NAN = 0x7fffffffL;
  private static final long QUIET = 1L << 51;
  private static final long INDEFINITE = 0xfff8000000000000L;

  private Floats() {}

  static @Nullable Op find(Instruction at) {
    return at.getType() == Type.F64 ? doubles(at) : singles(at);
  }

  private static Rounding mode(Instruction at) {
    return Rounding.of(at.firstOf("rn", "rz", "rm", "rp"));
  }

  static float single(long bits) {
    return Float.intBitsToFloat((int) bits);
  }

  static long bits(float value) {
    return Float.isNaN(value) ? NAN : Float.floatToRawIntBits(value);
  }

  private static @Nullable Op singles(Instruction at) {
    Rounding mode = mode(at);
    boolean nearest = mode == Rounding.NEAREST;
    Op op =
        switch (at.opcode) {
          case "add" ->
              nearest
                  ? (a, b, c) -> bits(single(a) + single(b))
                  : (a, b, c) -> bits(Exact.inFloat(Kind.ADD, single(a), single(b), 0, mode));
          case "sub" ->
              nearest
                  ? (a, b, c) -> bits(single(a) - single(b))
                  : (a, b, c) -> bits(Exact.inFloat(Kind.ADD, single(a), -single(b), 0, mode));
          case "mul" ->
              nearest
                  ? (a, b, c) -> bits(single(a) * single(b))
                  : (a, b, c) -> bits(Exact.inFloat(Kind.MUL, single(a), single(b), 0, mode));
          case "fma", "mad" ->
              nearest
                  ? (a, b, c) -> bits(Math.fma(single(a), single(b), single(c)))
                  : (a, b, c) ->
                      bits(Exact.inFloat(Kind.FMA, single(a), single(b), single(c), mode));
          case "div" ->
              at.has("approx") || at.has("full")
                  ? Approximate.divide(at.has("full"))
                  : (a, b, c) -> bits(Exact.inFloat(Kind.DIV, single(a), single(b), 0, mode));
          case "rcp" ->
              at.has("approx")
                  ? Approximate.single("rcp")
                  : (a, b, c) -> bits(Exact.inFloat(Kind.DIV, 1, single(a), 0, mode));
          case "sqrt" ->
              at.has("approx")
                  ? Approximate.single("sqrt")
                  : (a, b, c) -> bits(Exact.inFloat(Kind.SQRT, single(a), 0, 0, mode));
          case "rsqrt", "sin", "cos", "lg2", "ex2", "tanh" -> Approximate.single(at.opcode);
          case "min", "max" -> extreme(at, F32);
          case "abs" -> (a, b, c) -> F32.isNan(a) ? NAN : a & 0x7fffffff;
          case "neg" -> (a, b, c) -> F32.isNan(a) ? NAN : a ^ 0x80000000L;
          case "copysign" -> (a, b, c) -> b & 0x7fffffff | a & 0x80000000L;
          default -> null;
        };
    if (op == null) {
      return null;
    }
    // Sums of normal numbers are exact where they are denormal.
    boolean product = at.opcode.equals("mul");
    boolean approximate = at.has("approx") || at.has("full");
    boolean sum = at.opcode.equals("fma") || at.opcode.equals("mad");
    boolean ftz = at.has("ftz");
    if (ftz && nearest && product) {
      op = exactlyFlushed(op, (a, b, c) -> single(a) * (double) single(b));
    } else if (ftz && nearest && sum) {
      op = exactlyFlushed(op, (a, b, c) -> Math.fma((double) single(a), single(b), single(c)));
    } else if (ftz && at.opcode.equals("div") && approximate) {
      op = exactlyFlushed(op, (a, b, c) -> single(a) / (double) single(b));
    }
    return modified(op, F32, ftz, at.has("sat"));
  }

  /** A result with more bits than its format keeps. */
  private interface Precise {
    double of(long a, long b, long c);
  }

  /** Flushes results that are the smallest normal number only by rounding. */
  private static Op exactlyFlushed(Op op, Precise precise) {
    return (a, b, c) -> {
      long result = op.apply(a, b, c);
      boolean smallest = (result & 0x7fffffff) == 0x00800000;
      boolean tiny =
          smallest && F32.isTinyWhenRounded(precise.of(F32.flush(a), F32.flush(b), F32.flush(c)));
      return tiny ? result & 0x80000000L : result;
    };
  }

  /** Adds flushing of denormal operands and results, and saturation to 0 and 1. */
  static Op modified(Op op, Format f, boolean ftz, boolean sat) {
    Op flushed = ftz ? (a, b, c) -> f.flush(op.apply(f.flush(a), f.flush(b), f.flush(c))) : op;
    return sat ? (a, b, c) -> f.clip(flushed.apply(a, b, c)) : flushed;
  }

  /** Returns min or max of any format; three operands give that of all. */
  static Op extreme(Instruction at, Format format) {
    boolean least = at.opcode.equals("min");
    boolean nan = at.has("NaN");
    boolean xorSign = at.has("xorsign");
    boolean three = at.operands.size() == 4;
    Op two = (a, b, c) -> extreme(format, a, b, least, nan, xorSign);
    return three ? (a, b, c) -> two.apply(two.apply(a, b, 0), c, 0) : two;
  }

  private static long extreme(
      Format format, long first, long second, boolean least, boolean nan, boolean xorSign) {
    long sign = format.sign();
    long a = xorSign ? first & ~sign : first;
    long b = xorSign ? second & ~sign : second;
    boolean aNan = format.isNan(a);
    boolean bNan = format.isNan(b);
    long result;
    if (aNan || bNan) {
      if (nan || aNan && bNan) {
        return format == Format.F64 ? (bNan ? b : a) | QUIET : format.nan();
      }
      result = aNan ? b : a;
    } else {
      // As integers in two's complement, the order of the values, -0 before +0.
      long x = (a & sign) != 0 ? -(a & ~sign) - 1 : a;
      long y = (b & sign) != 0 ? -(b & ~sign) - 1 : b;
      result = x < y == least ? a : b;
    }
    return xorSign ? result & ~sign | (first ^ second) & sign : result;
  }

  private static double toDouble(long bits) {
    return Double.longBitsToDouble(bits);
  }

  private static @Nullable Op doubles(Instruction at) {
    Rounding mode = mode(at);
    return switch (at.opcode) {
      case "add" -> exact(Kind.ADD, mode);
      case "sub" -> {
        Op add = exact(Kind.ADD, mode);
        yield (a, b, c) -> add.apply(a, Format.F64.isNan(b) ? b : b ^ Long.MIN_VALUE, 0);
      }
      case "mul" -> exact(Kind.MUL, mode);
      case "fma", "mad" -> exact(Kind.FMA, mode);
      case "div" -> exact(Kind.DIV, mode);
      case "rcp" -> {
        if (at.has("approx")) {
          yield Approximate.doubleReciprocal(false, true);
        }
        Op divide = exact(Kind.DIV, mode);
        yield (a, b, c) -> divide.apply(Double.doubleToRawLongBits(1), a, 0);
      }
      case "rsqrt" -> Approximate.doubleReciprocal(true, at.has("ftz"));
      case "sqrt" -> exact(Kind.SQRT, mode);
      case "min", "max" -> extreme(at, Format.F64);
      case "abs" -> (a, b, c) -> Format.F64.isNan(a) ? a | QUIET : a & Long.MAX_VALUE;
      case "neg" -> (a, b, c) -> Format.F64.isNan(a) ? a | QUIET : a ^ Long.MIN_VALUE;
      case "copysign" -> (a, b, c) -> b & Long.MAX_VALUE | a & Long.MIN_VALUE;
      default -> null;
    };
  }

  private static Op exact(Kind kind, Rounding mode) {
    return (a, b, c) -> {
      double result = Exact.inDouble(kind, toDouble(a), toDouble(b), toDouble(c), mode);
      if (!Double.isNaN(result)) {
        return Double.doubleToRawLongBits(result);
      }
      if (kind == Kind.DIV && Format.F64.isNan(a)) {
        return a | QUIET;
      }
      if (Format.F64.isNan(b)) {
        return b | QUIET;
      }
      if (Format.F64.isNan(c)) {
        return c | QUIET;
      }
      return Format.F64.isNan(a) ? a | QUIET : INDEFINITE;
    };
  }

  /** Returns the class of a number, as 0 or 1. */
  static Op test(Format format, String property) {
    return (a, b, c) -> {
      long magnitude = a & (format.sign() - 1);
      boolean nan = format.isNan(a);
      boolean infinite = magnitude == format.infinity();
      boolean subnormal = format.isTiny(a) && magnitude != 0;
      boolean result =
          switch (property) {
            case "finite" -> !nan && !infinite;
            case "infinite" -> infinite;
            case "number" -> !nan;
            case "notanumber" -> nan;
            case "normal" -> !nan && !infinite && !subnormal;
            default -> subnormal;
          };
      return result ? 1 : 0;
    };
  }
}
