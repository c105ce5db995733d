package org.vramkit.ptx.code;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Format;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.number.Rounding;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Type;

/** {@code cvt} between all types. */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
final class Conversions {
  private Conversions() {}

  private static @Nullable Format format(Type type) {
    return switch (type) {
      case F64 -> Format.F64;
      case F32 -> Format.F32;
      case TF32 -> Format.TF32;
      case F16, F16X2 -> Format.F16;
      case BF16, BF16X2 -> Format.BF16;
      case E4M3X2 -> Format.E4M3;
      case E5M2X2 -> Format.E5M2;
      default -> null;
    };
  }

  /** Returns whether types of two numbers of eight bits stand beside a type they convert to. */
  static boolean hasKnownTypes(Instruction at) {
    if (at.types.stream().noneMatch(Conversions::isOfEights)) {
      return true;
    }
    if (at.types.size() != 2) {
      return false;
    }
    Type to = at.types.get(0);
    Type from = at.types.get(1);
    return isOfEights(to) ? from == Type.F32 || from == Type.F16X2 : to == Type.F16X2;
  }

  private static boolean isOfEights(Type type) {
    return type == Type.E4M3X2 || type == Type.E5M2X2;
  }

  static @Nullable Op find(Instruction at) {
    if (at.has("pack")) {
      return pack(at);
    }
    if (at.types.size() < 2) {
      return null;
    }
    Type to = at.types.get(0);
    Type from = at.types.get(1);
    Format target = format(to);
    Format source = format(from);
    String round = at.firstOf("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi");
    Rounding mode = Rounding.of(round);
    if (to.isPacked() && from == Type.F32 && target != null) {
      Op half = floats(at, target, Format.F32, mode, round);
      return (a, b, c) -> (half.apply(a, 0, 0) & 0xffff) << 16 | half.apply(b, 0, 0) & 0xffff;
    }
    if (isOfEights(to)) {
      return from == Type.F32 ? eights(at, target(to), mode) : eightsOfHalves(at, from, to, mode);
    }
    if (isOfEights(from)) {
      Op half = floats(at, Format.F16, source == null ? Format.E5M2 : source, mode, round);
      return (a, b, c) ->
          (half.apply(a >>> 8 & 0xff, 0, 0) & 0xffff) << 16 | half.apply(a & 0xff, 0, 0) & 0xffff;
    }
    if (target != null && source != null) {
      return floats(at, target, source, mode, round);
    }
    if (target != null) {
      return toFloat(at, target, from, mode);
    }
    return source != null ? toInteger(at, to, source, mode) : integers(at, to, from);
  }

  private static Format target(Type type) {
    return type == Type.E4M3X2 ? Format.E4M3 : Format.E5M2;
  }

  private static Op eights(Instruction at, Format f, Rounding mode) {
    return (a, b, c) ->
        eight(at, f, Format.F32.decode(a), mode) << 8 | eight(at, f, Format.F32.decode(b), mode);
  }

  private static Op eightsOfHalves(Instruction at, Type from, Type to, Rounding mode) {
    Format f = target(to);
    Format half = Comparisons.format(from);
    return (a, b, c) ->
        eight(at, f, half.decode(a >>> 16 & 0xffff), mode) << 8
            | eight(at, f, half.decode(a & 0xffff), mode);
  }

  /** Rounds to eight bits; what is too large becomes the largest number. */
  private static long eight(Instruction at, Format f, double value, Rounding mode) {
    if (Double.isNaN(value)) {
      return f.nan();
    }
    if (at.has("relu") && (value < 0 || 1 / value < 0)) {
      return 0;
    }
    long bits = f.encode(value, mode);
    boolean overflow =
        Double.isInfinite(value) || f.isNan(bits) || (bits & ~f.sign()) > f.largest();
    return overflow ? f.largest() | (value < 0 ? f.sign() : 0) : bits;
  }

  private static Op floats(Instruction at, Format to, Format from, Rounding mode, String round) {
    boolean ftz = at.has("ftz");
    boolean flushSource = ftz && from == Format.F32;
    boolean flushResult = ftz && to == Format.F32;
    boolean sat = at.has("sat");
    boolean relu = at.has("relu");
    boolean finite = at.has("satfinite");
    boolean integral = round.endsWith("i");
    boolean same = to == from;
    return (a, b, c) -> {
      long x = flushSource ? from.flush(a) : a;
      if (from.isNan(x)) {
        return sat ? 0 : nan(to, from, x, mode);
      }
      long result;
      if (integral) {
        result = to.encode(integral(from.decode(x), mode), Rounding.NEAREST);
      } else if (same) {
        result = x;
      } else {
        result = to.encode(from.decode(x), mode);
      }
      if (to == Format.TF32) {
        result = expand(result);
      }
      if (flushResult && from == Format.F64 && to.isTinyWhenRounded(from.decode(x))) {
        result &= to.sign();
      }
      result = flushResult ? to.flush(result) : result;
      if (finite && (result & ~to.sign()) == to.infinity()) {
        result = result & to.sign() | to.largest();
      }
      if (relu && (result & to.sign()) != 0) {
        return 0;
      }
      return sat ? to.clip(result) : result;
    };
  }

  /** Conversions from and to f64 keep sign and payload; others give one NaN. */
  private static long nan(Format to, Format from, long x, Rounding mode) {
    if (to == Format.F64 || from == Format.F64) {
      long sign = (x & from.sign()) != 0 ? to.sign() : 0;
      long payload = x & ~from.sign() & ~from.infinity();
      int shift = to.getMantissaBits() - from.getMantissaBits();
      long moved = shift >= 0 ? payload << shift : payload >>> -shift;
      return sign | to.infinity() | 1L << (to.getMantissaBits() - 1) | moved;
    }
    if (to == Format.TF32) {
      return mode == Rounding.NEAREST_AWAY ? x & ~0x1fffL : Floats.NAN & ~0x1fffL;
    }
    return to.nan();
  }

  /** Gives the 19 bits of TF32 the place that they have in 32. */
  private static long expand(long bits) {
    return bits << 13;
  }

  static double integral(double value, Rounding mode) {
    return switch (mode) {
      case NEAREST, NEAREST_AWAY -> Math.rint(value);
      case ZERO -> value < 0 ? Math.ceil(value) : Math.floor(value);
      case DOWN -> Math.floor(value);
      case UP -> Math.ceil(value);
    };
  }

  private static Op toFloat(Instruction at, Format to, Type from, Rounding mode) {
    boolean sat = at.has("sat");
    return (a, b, c) -> {
      long value = Integers.extend(narrow(a, from), from);
      long bits = to.encode(value, from.isSigned(), mode);
      return sat ? to.clip(bits) : bits;
    };
  }

  /** Returns the bits of a type, without what a wider register has above. */
  private static long narrow(long value, Type type) {
    return value & Integers.mask(type.bits);
  }

  private static Op toInteger(Instruction at, Type to, Format from, Rounding mode) {
    boolean ftz = at.has("ftz") && from == Format.F32;
    return (a, b, c) -> {
      long x = ftz ? from.flush(a) : a;
      if (from.isNan(x)) {
        return from == Format.F64 || to.bits == 64 ? 1L << (Math.max(32, to.bits) - 1) : 0;
      }
      double value = integral(from.decode(x), mode);
      if (to.isSigned()) {
        return Integers.clamp((long) value, to.bits);
      }
      boolean large = value >= 0x1p63;
      long whole = large ? (long) (value - 0x1p63) ^ Long.MIN_VALUE : (long) Math.max(value, 0);
      return saturate(value >= 0x1p64 ? -1 : whole, false, to);
    };
  }

  private static Op integers(Instruction at, Type to, Type from) {
    if (!at.has("sat")) {
      return (a, b, c) -> Integers.extend(narrow(Integers.extend(narrow(a, from), from), to), to);
    }
    return (a, b, c) -> saturate(Integers.extend(narrow(a, from), from), from.isSigned(), to);
  }

  private static long saturate(long value, boolean signed, Type to) {
    if (to.isSigned()) {
      return Integers.clamp(!signed && value < 0 ? Long.MAX_VALUE : value, to.bits);
    }
    long most = Integers.mask(to.bits);
    return signed && value < 0 ? 0 : Long.compareUnsigned(value, most) > 0 ? most : value;
  }

  private static Op pack(Instruction at) {
    String name = at.firstOf("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2");
    int bits = Integer.parseInt(name.substring(1));
    boolean signed = name.charAt(0) == 's';
    long mask = (1L << bits) - 1;
    return (a, b, c) -> {
      long x = packed((int) a, bits, signed) & mask;
      long y = packed((int) b, bits, signed) & mask;
      return c << 2 * bits | x << bits | y;
    };
  }

  private static long packed(int value, int bits, boolean signed) {
    long most = signed ? (1L << (bits - 1)) - 1 : (1L << bits) - 1;
    return Math.max(signed ? -most - 1 : 0, Math.min(most, value));
  }
}
