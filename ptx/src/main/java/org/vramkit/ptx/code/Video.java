package org.vramkit.ptx.code;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Operand;
import org.vramkit.ptx.syntax.Type;

/**
 * The video instructions: scalar ones on parts of registers, and those on two or four lanes of one
 * register. A second operation may add to the result or choose an extreme.
 */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
final class Video {
  static final Set<String> OPCODES =
      Requirement.words(
          "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2"
              + " vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4");

  private static final Set<String> COMPARISONS = Requirement.words("eq ne lt le gt ge");

  private Video() {}

  static Op of(Instruction at) {
    char last = at.opcode.charAt(at.opcode.length() - 1);
    return last == '2' || last == '4' ? lanes(at, last - '0') : scalar(at);
  }

  /** Returns what a vset compares for; empty for other instructions. */
  private static String comparison(Instruction at) {
    return at.modifiers.stream().filter(COMPARISONS::contains).findFirst().orElse("");
  }

  private static String selector(Instruction at, int index) {
    return at.operands.get(index) instanceof Operand.Reg reg ? reg.selector() : "";
  }

  private static long part(long value, String selector, Type type) {
    if (selector.isEmpty()) {
      return type.isSigned() ? (int) value : value & 0xffffffffL;
    }
    int bits = selector.charAt(0) == 'h' ? 16 : 8;
    int shift = bits * (selector.charAt(1) - '0');
    long field = value >>> shift & (1L << bits) - 1;
    return type.isSigned() ? field << (64 - bits) >> (64 - bits) : field;
  }

  private static Op scalar(Instruction at) {
    boolean compares = at.opcode.equals("vset");
    boolean shifts = at.opcode.startsWith("vsh");
    Type result = at.types.get(0);
    Type ta = at.types.get(compares ? 0 : 1);
    Type tb = at.types.size() > (compares ? 1 : 2) ? at.types.get(compares ? 1 : 2) : ta;
    String a = selector(at, 1);
    String b = selector(at, 2);
    String merge = selector(at, 0);
    boolean sat = at.has("sat");
    String second = at.modifiers.get(at.modifiers.size() - 1);
    boolean wrap = at.has("wrap");
    String compare = comparison(at);
    if (at.opcode.equals("vmad")) {
      return mad(at, result, ta, tb);
    }
    return (x, y, c) -> {
      long value = apply(at.opcode, compare, part(x, a, ta), part(y, b, tb), wrap);
      if (!merge.isEmpty()) {
        return merge(sat && !shifts ? capped(value, result, merge) : value, c, merge);
      }
      if (sat) {
        value = wholeSaturated(value, result);
      }
      long third = result.isSigned() ? (int) c : c & 0xffffffffL;
      long kept = value < 0 && !result.isSigned() ? value & 0xffffffffL : value;
      return switch (second) {
        case "add" -> value + c;
        case "min" -> Math.min(kept, third);
        case "max" -> Math.max(kept, third);
        default -> value;
      };
    };
  }

  /**
   * Saturates for a part of the destination: the low word counts as unsigned, so a negative value
   * becomes the largest.
   */
  private static long capped(long value, Type type, String part) {
    int bits = part.charAt(0) == 'h' ? 16 : 8;
    return Math.min(value & 0xffffffffL, (1L << (type.isSigned() ? bits - 1 : bits)) - 1);
  }

  /** Inserts the low byte or half into {@code c}; the upper half takes that of the value. */
  private static long merge(long value, long c, String part) {
    int bits = part.charAt(0) == 'h' ? 16 : 8;
    long shift = (long) bits * (part.charAt(1) - '0');
    return Integers.bfi(part.equals("h1") ? value >> 16 : value, c, shift, bits, 32);
  }

  /** Saturates a word; a carry out of an unsigned one is lost. */
  private static long wholeSaturated(long value, Type type) {
    return type.isSigned() ? Integers.clamp(value, 32) : Math.max(0, value) & 0xffffffffL;
  }

  private static Op mad(Instruction at, Type result, Type ta, Type tb) {
    String a = selector(at, 1);
    String b = selector(at, 2);
    int shift = at.has("shr7") ? 7 : at.has("shr15") ? 15 : 0;
    boolean plusOne = at.has("po");
    boolean sat = at.has("sat");
    return (x, y, c) -> {
      long sum = part(x, a, ta) * part(y, b, tb);
      sum += (int) c + (plusOne ? 1 : 0);
      if (sat && sum < 0 && !result.isSigned()) {
        return shift == 0 ? 0 : 0xffffffffL;
      }
      sum >>= shift;
      return sat ? saturate(sum, result, 32) : sum;
    };
  }

  private static long saturate(long value, Type type, int bits) {
    return type.isSigned()
        ? Integers.clamp(value, bits)
        : Math.max(0, Math.min((1L << bits) - 1, value));
  }

  private static long apply(String opcode, String compare, long a, long b, boolean wrap) {
    return switch (opcode.replaceAll("\\d", "")) {
      case "vadd" -> a + b;
      case "vsub" -> a - b;
      case "vabsdiff" -> Math.abs(a - b);
      case "vmin" -> Math.min(a, b);
      case "vmax" -> Math.max(a, b);
      case "vavrg" -> a + b + (a + b < 0 ? 0 : 1) >> 1;
      case "vshl" -> shift(a, b, wrap, true);
      case "vshr" -> shift(a, b, wrap, false);
      default ->
          switch (compare) {
            case "eq" -> a == b ? 1 : 0;
            case "ne" -> a != b ? 1 : 0;
            case "lt" -> a < b ? 1 : 0;
            case "le" -> a <= b ? 1 : 0;
            case "gt" -> a > b ? 1 : 0;
            default -> a >= b ? 1 : 0;
          };
    };
  }

  private static long shift(long a, long b, boolean wrap, boolean left) {
    long n = wrap ? b & 31 : Math.min(b & 0xffffffffL, 32);
    return left ? a << n : a >> n;
  }

  /** Two or four results, of lanes that selectors of the operands choose. */
  private static Op lanes(Instruction at, int count) {
    boolean compares = at.opcode.startsWith("vset");
    Type result = compares ? Type.U32 : at.types.get(0);
    Type ta = at.types.get(compares ? 0 : 1);
    Type tb = at.types.get(compares ? 1 : 2);
    String compare = comparison(at);
    int bits = 32 / count;
    int mask = laneMask(selector(at, 0), count);
    List<Integer> as = chosen(selector(at, 1), count, 0);
    List<Integer> bs = chosen(selector(at, 2), count, count);
    boolean sat = at.has("sat");
    boolean add = at.modifiers.get(at.modifiers.size() - 1).equals("add");
    return (x, y, c) -> {
      long merged = c;
      long sum = c;
      for (int i = 0; i < count; i++) {
        long one = field(x, y, as.get(i), bits, count, ta);
        long other = field(x, y, bs.get(i), bits, count, tb);
        long value = apply(at.opcode, compare, one, other, false);
        value = sat ? saturate(value, result, bits) : value;
        if ((mask >>> i & 1) != 0) {
          sum += value;
          merged = Integers.bfi(value, merged, (long) bits * i, bits, 32);
        }
      }
      return add ? sum : merged;
    };
  }

  private static long field(long x, long y, int lane, int bits, int count, Type type) {
    long from = lane < count ? x : y;
    long value = from >>> bits * (lane % count) & (1L << bits) - 1;
    return type.isSigned() ? value << (64 - bits) >> (64 - bits) : value;
  }

  private static int laneMask(String selector, int count) {
    if (selector.isEmpty()) {
      return (1 << count) - 1;
    }
    int mask = 0;
    for (int i = 1; i < selector.length(); i++) {
      mask |= 1 << (selector.charAt(i) - '0');
    }
    return mask;
  }

  /** Returns the source lane of each result lane; selectors name the highest first. */
  private static List<Integer> chosen(String selector, int count, int base) {
    List<Integer> lanes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lanes.add(selector.length() == count + 1 ? selector.charAt(count - i) - '0' : base + i);
    }
    return lanes;
  }
}
