package org.vramkit.ptx.code;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Problems;
import org.vramkit.ptx.syntax.Type;

/** The targets that instructions need, and modifiers that they must have. */
final class Requirement {
  /** Modifiers other than types, of the instructions that are simulated. */
  private static final Set<String> MODIFIERS =
      words(
          "global shared shared::cta shared::cluster local const param param::entry"
              + " param::func to volatile relaxed acquire release acq_rel weak mmio sc cta"
              + " cluster gpu sys gl ca cg cs lu cv wb wt nc v2 v4 v8 lo hi wide sat ftz rn"
              + " rz rm rp rna rni rzi rmi rpi approx full cc eq ne lt le gt ge ls hs equ"
              + " neu ltu leu gtu geu num nan and or xor add min max inc dec exch cas popc"
              + " all any uni ballot sync arrive red up down bfly idx aligned warp noftz"
              + " relu NaN xorsign abs oob satfinite pack f4e b4e rc8 ecl ecr rc16 shiftamt"
              + " wrap clamp l r finite infinite number notanumber normal subnormal async"
              + " commit_group wait_group wait_all L1 L2 L1::evict_normal"
              + " L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate"
              + " L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint L2::64B"
              + " L2::128B L2::256B fractional range shr7 shr15 po proxy alias"
              + " launch_dependents wait u4 s4 u2 s2");

  /** Instructions that a GPU has and the simulation lacks; their modifiers are not looked at. */
  static final Set<String> NOT_SIMULATED =
      words(
          "tex tld4 txq suld sust sured suq istypep wmma mma ldmatrix stmatrix movmatrix wgmma"
              + " tcgen05 tensormap multimem clusterlaunchcontrol mapa getctarank"
              + " createpolicy_fractional stackprobe");

  /** Instructions that run, with modifiers that are not looked at. */
  private static final Set<String> ANY =
      words(
          "cp mbarrier barrier bar fence griddepcontrol setmaxnreg createpolicy discard applypriority");

  private static final Set<String> ARITHMETIC = words("add sub mul");

  private Requirement() {}

  static Set<String> words(String text) {
    return new HashSet<>(List.of(text.split(" ")));
  }

  static void check(Instruction at, int device, Problems problems) {
    for (String each : at.modifiers) {
      if (!ANY.contains(at.opcode)
          && !NOT_SIMULATED.contains(at.opcode)
          && Type.of(each) == null
          && !MODIFIERS.contains(each)
          && !each.matches("(b[0-3]+|h[01]+)")) {
        problems.add(at.line, "Unknown modifier '." + each + "'");
      }
    }
    if (ARITHMETIC.contains(at.opcode)) {
      checkType(at, problems);
    }
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

  private static void checkType(Instruction at, Problems problems) {
    boolean rounded = !at.firstOf("rn", "rz", "rm", "rp").isEmpty();
    if (at.types.isEmpty()) {
      problems.add(at.line, "Unexpected instruction types specified for '" + at.opcode + "'");
    } else if (rounded && at.getType().getText().matches("[su]\\d+")) {
      problems.add(at.line, "Illegal rounding modifier for instruction '" + at.opcode + "'");
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
          type == Type.B128 || !at.firstOf("v2", "v4", "v8").isEmpty()
              ? 90
              : type == Type.F64 && at.has("add")
                  ? 60
                  : type == Type.F16X2 ? 60 : type == Type.F16 ? 70 : type == Type.BF16 ? 90 : 10;
      case "lop3" -> 50;
      case "shf" -> 32;
      case "dp4a", "dp2a" -> 61;
      case "match", "nanosleep" -> 70;
      case "redux" -> 80;
      case "mbarrier" ->
          at.has("try_wait") || at.has("expect_tx") || at.has("complete_tx") ? 90 : 80;
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
