package org.vramkit.ptx.code;

import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Problems;
import org.vramkit.ptx.syntax.Type;

/** The targets that instructions need, and modifiers that they must have. */
final class Requirement {
  private Requirement() {}

  static void check(Instruction at, int device, Problems problems) {
    int needed = target(at);
    if (needed > device) {
      problems.add(
          at.line,
          "Instruction '%s' requires .target sm_%d or higher".formatted(described(at), needed));
    }
    String missing = missing(at, device);
    if (!missing.isEmpty()) {
      problems.add(at.line, missing + " required for instruction '" + at.opcode + "'");
    }
  }

  private static String described(Instruction at) {
    return switch (at.opcode) {
      case "ld" -> "ld.nc";
      case "atom", "red" -> {
        String space = at.firstOf("global", "shared", "shared::cta");
        String op = at.firstOf("add", "min", "max", "and", "or", "xor", "cas", "exch");
        yield at.opcode
            + "."
            + op
            + "."
            + at.getType().getText()
            + (space.isEmpty() ? "" : "." + space);
      }
      default -> at.has("sync") ? at.opcode + ".sync" : at.opcode;
    };
  }

  private static int target(Instruction at) {
    Type type = at.getType();
    return switch (at.opcode) {
      case "ld" -> at.has("nc") ? 32 : 10;
      case "shfl" -> 30;
      case "atom", "red" ->
          type == Type.F64 && at.has("add")
              ? 60
              : type == Type.F16X2 ? 60 : type == Type.F16 ? 70 : type == Type.BF16 ? 90 : 10;
      case "lop3" -> 50;
      case "shf" -> 32;
      case "dp4a", "dp2a" -> 61;
      case "match", "nanosleep" -> 70;
      case "redux" -> 80;
      case "elect" -> 90;
      case "tanh" -> 75;
      case "fns" -> 30;
      default -> 10;
    };
  }

  private static String missing(Instruction at, int target) {
    boolean rounded = !at.firstOf("rn", "rz", "rm", "rp").isEmpty();
    boolean approximate = at.has("approx") || at.has("full");
    boolean f32 = at.getType() == Type.F32;
    boolean f64 = at.getType() == Type.F64;
    boolean old = target < 20;
    return switch (at.opcode) {
      case "mad", "fma" ->
          (f32 || f64) && !rounded && !(old && at.opcode.equals("mad")) ? "Rounding modifier" : "";
      case "div", "rcp", "sqrt" ->
          (f32 || f64) && !rounded && !approximate && !old
              ? f64 ? "Rounding modifier" : "Rounding modifier or '.approx' modifier"
              : "";
      case "sin", "cos", "lg2", "ex2", "rsqrt" ->
          f32 && !approximate && !old ? ".approx modifier" : "";
      default -> "";
    };
  }
}
