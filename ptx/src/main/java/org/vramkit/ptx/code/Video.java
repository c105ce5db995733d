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

  private Video() {}

  static Op of(Instruction at) {
    char last = at.opcode.charAt(at.opcode.length() - 1);
    return last == '2' || last == '4' ? lanes(at, last - '0') : scalar(at);
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
    Type result = compares ? Type.U32 : at.types.get(0);
    Type ta = at.types.get(compares ? 0 : 1);
    Type tb = at.types.size() > (compares ? 1 : 2) ? at.types.get(compares ? 1 : 2) : ta;
    String a = selector(at, 1);
    String b = selector(at, 2);
    String merge = selector(at, 0);
    boolean sat = at.has("sat");
    String second = at.modifiers.get(at.modifiers.size() - 1);
    boolean wrap = at.has("wrap");
    if (at.opcode.equals("vmad")) {
      return mad(at, result, ta, tb);
    }
    return (x, y, c) -> {
      long value = apply(at.opcode, at.modifiers.get(0), part(x, a, ta), part(y, b, tb), wrap);
      if (sat) {
        value = saturate(value, result, merge.isEmpty() ? 32 : merge.charAt(0) == 'h' ? 16 : 8);
      }
      if (!merge.isEmpty()) {
        int bits = merge.charAt(0) == 'h' ? 16 : 8;
        return Integers.bfi(value, c, (long) bits * (merge.charAt(1) - '0'), bits, 32);
      }
      boolean signed = result.isSigned();
      long kept = signed ? (int) value : value & 0xffffffffL;
      long third = signed ? (int) c : c & 0xffffffffL;
      return switch (second) {
        case "add" -> kept + c;
        case "min" -> Math.min(kept, third);
        case "max" -> Math.max(kept, third);
        default -> value;
      };
    };
  }

  private static Op mad(Instruction at, Type result, Type ta, Type tb) {
    String a = selector(at, 1);
    String b = selector(at, 2);
    int shift = at.has("shr7") ? 7 : at.has("shr15") ? 15 : 0;
    boolean plusOne = at.has("po");
    boolean sat = at.has("sat");
    return (x, y, c) -> {
      long sum = part(x, a, ta) * part(y, b, tb);
      sum += (result.isSigned() ? (int) c : c & 0xffffffffL) + (plusOne ? 1 : 0);
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
      case "vavrg" -> a + b + 1 >> 1;
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
        long value = apply(at.opcode, at.modifiers.get(0), one, other, false);
        value = sat ? saturate(value, result, bits) : value;
        if ((mask >>> i & 1) != 0) {
          long kept = value & (1L << bits) - 1;
          sum += result.isSigned() ? kept << (64 - bits) >> (64 - bits) : kept;
          merged = Integers.bfi(kept, merged, (long) bits * i, bits, 32);
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
