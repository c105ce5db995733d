package org.vramkit.ptx.code;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Type;

/** Integer arithmetic, logic, shifts and bit fields. */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
final class Integers {
  private Integers() {}

  /** Returns the operation of an instruction, or null if it is none of these. */
  static @Nullable Op find(Instruction at) {
    Type type = at.getType();
    int bits = type.bits;
    boolean signed = type.isSigned();
    boolean high = at.has("hi");
    boolean sat = at.has("sat");
    return switch (at.opcode) {
      case "add" -> type.isPacked() ? packed(type, (a, b, c) -> a + b) : add(sat);
      case "sub" -> type.isPacked() ? packed(type, (a, b, c) -> a - b) : sub(sat);
      case "mul" -> multiply(type, high, at.has("wide"));
      case "mad" -> mad(type, high, at.has("wide"), sat);
      case "mul24" -> product24(signed, high);
      case "mad24" -> mad24(signed, high, sat);
      case "div" -> (a, b, c) -> divide(extend(a, type), extend(b, type), signed);
      case "rem" -> (a, b, c) -> remainder(extend(a, type), extend(b, type), signed);
      case "abs" -> (a, b, c) -> Math.abs(extend(a, type));
      case "neg" -> (a, b, c) -> -a;
      case "min" -> extreme(type, true, at.has("relu"));
      case "max" -> extreme(type, false, at.has("relu"));
      case "sad" ->
          (a, b, c) -> {
            long x = extend(a, type);
            long y = extend(b, type);
            return c + (less(x, y, signed) ? y - x : x - y);
          };
      case "and" -> (a, b, c) -> a & b;
      case "or" -> (a, b, c) -> a | b;
      case "xor" -> (a, b, c) -> a ^ b;
      case "not" -> (a, b, c) -> ~a;
      case "cnot" -> (a, b, c) -> a == 0 ? 1 : 0;
      case "shl" -> (a, b, c) -> b >= bits ? 0 : a << b;
      case "shr" ->
          signed
              ? (a, b, c) -> extend(a, type) >> Math.min(b, bits - 1)
              : (a, b, c) -> b >= bits ? 0 : a >>> b;
      case "popc" -> (a, b, c) -> Long.bitCount(a);
      case "clz" -> (a, b, c) -> Long.numberOfLeadingZeros(a) - (64 - bits);
      case "brev" -> (a, b, c) -> Long.reverse(a) >>> (64 - bits);
      case "bfind" -> bfind(type, at.has("shiftamt"));
      case "bfe" -> bfe(type);
      case "prmt" -> prmt(at.firstOf("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"));
      case "szext" -> szext(signed, at.has("wrap"));
      case "bmsk" -> bmsk(at.has("wrap"));
      case "shf" -> funnel(at.has("l"), at.has("wrap"));
      case "dp4a" -> (a, b, c) -> dot(a, b, c, at.types.get(0), at.types.get(1), 4, 0);
      case "dp2a" -> {
        int from = high ? 2 : 0;
        yield (a, b, c) -> dot(a, b, c, at.types.get(0), at.types.get(1), 2, from);
      }
      case "fns" -> (a, b, c) -> nthSet((int) a, (int) b, (int) c);
      case "slct" -> slct(at.getType(), at.has("ftz"));
      default -> null;
    };
  }

  /** Returns the value of a type's bits in a long. */
  static long extend(long bits, Type type) {
    if (!type.isSigned()) {
      return bits;
    }
    return switch (type.bits) {
      case 8 -> (byte) bits;
      case 16 -> (short) bits;
      case 32 -> (int) bits;
      default -> bits;
    };
  }

  static boolean less(long a, long b, boolean signed) {
    return signed ? a < b : Long.compareUnsigned(a, b) < 0;
  }

  /** Returns whether a value of a type is less than another. */
  static boolean less(long a, long b, Type type) {
    return less(extend(a, type), extend(b, type), type.isSigned());
  }

  /** Returns the operation of {@code atom} or {@code redux}, or null if it is none of these. */
  static @Nullable Op reduction(String operator, Type type) {
    return switch (operator) {
      case "add" -> (a, b, c) -> a + b;
      case "min" -> (a, b, c) -> less(a, b, type) ? a : b;
      case "max" -> (a, b, c) -> less(a, b, type) ? b : a;
      case "and" -> (a, b, c) -> a & b;
      case "or" -> (a, b, c) -> a | b;
      case "xor" -> (a, b, c) -> a ^ b;
      default -> null;
    };
  }

  /** Returns ones in the lowest bits. */
  static long mask(int bits) {
    return bits >= 64 ? -1 : (1L << bits) - 1;
  }

  static long clamp(long value, int bits) {
    long most = (1L << (bits - 1)) - 1;
    return Math.max(-most - 1, Math.min(most, value));
  }

  private static Op add(boolean sat) {
    return sat ? (a, b, c) -> clamp((long) (int) a + (int) b, 32) : (a, b, c) -> a + b;
  }

  private static Op sub(boolean sat) {
    return sat ? (a, b, c) -> clamp((long) (int) a - (int) b, 32) : (a, b, c) -> a - b;
  }

  private static Op packed(Type type, Op half) {
    Type part = type.getHalf();
    return (a, b, c) -> {
      long low = half.apply(extend(a & 0xffff, part), extend(b & 0xffff, part), 0);
      long high = half.apply(extend(a >>> 16 & 0xffff, part), extend(b >>> 16 & 0xffff, part), 0);
      return (high & 0xffff) << 16 | low & 0xffff;
    };
  }

  /** Returns the upper half of a product. */
  static long high(long a, long b, Type type) {
    if (type.bits < 64) {
      return extend(a, type) * extend(b, type) >> type.bits;
    }
    long high = Math.multiplyHigh(a, b);
    return type.isSigned() ? high : high + (a >> 63 & b) + (b >> 63 & a);
  }

  private static Op multiply(Type type, boolean high, boolean wide) {
    if (high) {
      return (a, b, c) -> high(a, b, type);
    }
    return wide ? (a, b, c) -> extend(a, type) * extend(b, type) : (a, b, c) -> a * b;
  }

  private static Op mad(Type type, boolean high, boolean wide, boolean sat) {
    if (high && sat) {
      return (a, b, c) -> clamp(high(a, b, type) + (int) c, 32);
    }
    Op product = multiply(type, high, wide);
    return (a, b, c) -> product.apply(a, b, 0) + c;
  }

  private static Op product24(boolean signed, boolean high) {
    return (a, b, c) -> {
      long x = signed ? a << 40 >> 40 : a & 0xffffff;
      long y = signed ? b << 40 >> 40 : b & 0xffffff;
      return high ? x * y >> 16 : x * y;
    };
  }

  private static Op mad24(boolean signed, boolean high, boolean sat) {
    Op product = product24(signed, high);
    return sat
        ? (a, b, c) -> clamp((int) product.apply(a, b, 0) + (long) (int) c, 32)
        : (a, b, c) -> product.apply(a, b, 0) + c;
  }

  private static long divide(long a, long b, boolean signed) {
    if (b == 0) {
      return -1;
    }
    return signed ? a / b : Long.divideUnsigned(a, b);
  }

  private static long remainder(long a, long b, boolean signed) {
    if (b == 0) {
      return -1;
    }
    return signed ? a % b : Long.remainderUnsigned(a, b);
  }

  private static Op extreme(Type type, boolean least, boolean relu) {
    if (type.isPacked()) {
      Op half = extreme(type.getHalf(), least, relu);
      return packed(type, half);
    }
    boolean signed = type.isSigned();
    return (a, b, c) -> {
      long x = extend(a, type);
      long y = extend(b, type);
      long result = less(x, y, signed) == least ? x : y;
      return relu ? Math.max(result, 0) : result;
    };
  }

  private static Op bfind(Type type, boolean shift) {
    return (a, b, c) -> {
      long x = extend(a, type);
      long magnitude = type.isSigned() && x < 0 ? ~x : x;
      int top = 63 - Long.numberOfLeadingZeros(magnitude);
      return top < 0 || !shift ? top : type.bits - 1 - top;
    };
  }

  private static Op bfe(Type type) {
    int bits = type.bits;
    boolean signed = type.isSigned();
    return (a, b, c) -> {
      int from = position(b, bits);
      int length = position(c, bits);
      if (length == 0) {
        return 0;
      }
      long x = extend(a, type);
      long field = from >= bits ? signed && x < 0 ? -1 : 0 : signed ? x >> from : x >>> from;
      int kept = Math.min(length, bits - Math.min(from, bits));
      if (kept <= 0 || kept >= 64) {
        return field;
      }
      return signed ? field << (64 - kept) >> (64 - kept) : field & (1L << kept) - 1;
    };
  }

  /** Returns a position or length: a byte for fields of 32 bits, a whole number for those of 64. */
  private static int position(long value, int bits) {
    return bits == 32 ? (int) value & 0xff : (int) Math.min(value & 0xffffffffL, 255);
  }

  /** Returns b with a field of a inserted. */
  static long bfi(long a, long b, long first, long length, int bits) {
    int from = position(first, bits);
    int count = Math.min(position(length, bits), bits - from);
    if (count <= 0) {
      return b;
    }
    long mask = (count >= 64 ? -1L : (1L << count) - 1) << from;
    return b & ~mask | a << from & mask;
  }

  private static Op prmt(String mode) {
    return (a, b, c) -> {
      long all = b << 32 | a & 0xffffffffL;
      int s = (int) c & 3;
      long selectors =
          switch (mode) {
            case "f4e" -> s | s + 1 << 4 | s + 2 << 8 | s + 3 << 12;
            case "b4e" -> s | (s - 1 & 7) << 4 | (s - 2 & 7) << 8 | (s - 3 & 7) << 12;
            case "rc8" -> s * 0x1111L;
            case "ecl" -> s | Math.max(s, 1) << 4 | Math.max(s, 2) << 8 | 3 << 12;
            case "ecr" -> Math.min(s, 1) << 4 | Math.min(s, 2) << 8 | s << 12;
            case "rc16" -> (s & 1) * 0x2222L + 0x1010;
            default -> c;
          };
      long result = 0;
      for (int i = 0; i < 4; i++) {
        int selector = (int) (selectors >>> 4 * i) & 15;
        long value = all >>> 8 * (selector & 7) & 0xff;
        boolean sign = (selector & 8) != 0 && mode.isEmpty();
        result |= (sign ? (byte) value >> 7 & 0xff : value) << 8 * i;
      }
      return result;
    };
  }

  private static Op szext(boolean signed, boolean wrap) {
    return (a, b, c) -> {
      int n = wrap ? (int) b & 31 : (int) Math.min(b, 32);
      if (n == 0) {
        return 0;
      }
      return signed ? (int) a << (32 - n) >> (32 - n) : a & (1L << n) - 1;
    };
  }

  private static Op bmsk(boolean wrap) {
    return (a, b, c) -> {
      int from = wrap ? (int) a & 31 : (int) Math.min(a, 32);
      int count = wrap ? (int) b & 31 : (int) Math.min(b, 32);
      return ((1L << count) - 1) << from;
    };
  }

  private static Op funnel(boolean left, boolean wrap) {
    return (a, b, c) -> {
      int n = wrap ? (int) c & 31 : (int) Math.min(c, 32);
      long all = b << 32 | a;
      return left ? all << n >>> 32 : all >>> n;
    };
  }

  private static long dot(long a, long b, long c, Type ta, Type tb, int count, int from) {
    long sum = c;
    for (int i = 0; i < count; i++) {
      long x = count == 4 ? part(a, i, 8, ta.isSigned()) : part(a, i, 16, ta.isSigned());
      sum += x * part(b, i + from, 8, tb.isSigned());
    }
    return sum;
  }

  private static long part(long value, int index, int bits, boolean signed) {
    long field = value << (64 - bits * (index + 1));
    return signed ? field >> (64 - bits) : field >>> (64 - bits);
  }

  private static long nthSet(int mask, int base, int offset) {
    int first = base & 31;
    if (offset == 0) {
      return (mask >>> first & 1) != 0 ? first : -1;
    }
    int left = Math.abs(offset);
    for (int i = first; i >= 0 && i < 32; i += offset > 0 ? 1 : -1) {
      left -= mask >>> i & 1;
      if (left == 0) {
        return i;
      }
    }
    return -1;
  }

  private static Op slct(Type selector, boolean flush) {
    if (!selector.isFloat()) {
      return (a, b, c) -> (int) c >= 0 ? a : b;
    }
    return (a, b, c) -> {
      float f = Float.intBitsToFloat((int) c);
      return f >= 0 || flush && Math.abs(f) < Float.MIN_NORMAL ? a : b;
    };
  }

  /** Returns the bits of a three-input logic function. */
  static Op lop3(int table) {
    return (a, b, c) -> {
      long result = 0;
      for (int i = 0; i < 8; i++) {
        if ((table >>> i & 1) != 0) {
          result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
        }
      }
      return result;
    };
  }
}
