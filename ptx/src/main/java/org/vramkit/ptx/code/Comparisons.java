package org.vramkit.ptx.code;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Format;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Type;

/** The comparisons of {@code setp} and {@code set}; results are 0 and 1. */
final class Comparisons {
  private Comparisons() {}

  static @Nullable Op find(Instruction at) {
    if (at.modifiers.isEmpty()) {
      return null;
    }
    String operator = at.modifiers.get(0);
    Type type = at.getType();
    Type half = type.getHalf();
    return half.isFloat()
        ? floats(operator, format(half), at.has("ftz"))
        : integers(operator, half);
  }

  static Format format(Type type) {
    return switch (type) {
      case F64 -> Format.F64;
      case F16, F16X2 -> Format.F16;
      case BF16, BF16X2 -> Format.BF16;
      default -> Format.F32;
    };
  }

  private static @Nullable Op integers(String operator, Type type) {
    return switch (operator) {
      case "eq" -> (a, b, c) -> a == b ? 1 : 0;
      case "ne" -> (a, b, c) -> a != b ? 1 : 0;
      case "lt" -> (a, b, c) -> Integers.less(a, b, type) ? 1 : 0;
      case "le" -> (a, b, c) -> Integers.less(b, a, type) ? 0 : 1;
      case "gt" -> (a, b, c) -> Integers.less(b, a, type) ? 1 : 0;
      case "ge" -> (a, b, c) -> Integers.less(a, b, type) ? 0 : 1;
      case "lo" -> (a, b, c) -> Integers.less(a, b, false) ? 1 : 0;
      case "ls" -> (a, b, c) -> Integers.less(b, a, false) ? 0 : 1;
      case "hi" -> (a, b, c) -> Integers.less(b, a, false) ? 1 : 0;
      case "hs" -> (a, b, c) -> Integers.less(a, b, false) ? 0 : 1;
      default -> null;
    };
  }

  private static @Nullable Op floats(String operator, Format f, boolean ftz) {
    boolean unordered = operator.length() == 3 && operator.endsWith("u");
    String order = unordered ? operator.substring(0, 2) : operator;
    boolean number = operator.equals("num");
    boolean nan = operator.equals("nan");
    if (!number && !nan && !"eq ne lt le gt ge".contains(order)) {
      return null;
    }
    return (a, b, c) -> {
      double x = f.decode(ftz ? f.flush(a) : a);
      double y = f.decode(ftz ? f.flush(b) : b);
      if (Double.isNaN(x) || Double.isNaN(y)) {
        return unordered || nan ? 1 : 0;
      }
      boolean result =
          switch (order) {
            case "eq" -> x == y;
            case "ne" -> x != y;
            case "lt" -> x < y;
            case "le" -> x <= y;
            case "gt" -> x > y;
            case "ge" -> x >= y;
            default -> number;
          };
      return result ? 1 : 0;
    };
  }
}
