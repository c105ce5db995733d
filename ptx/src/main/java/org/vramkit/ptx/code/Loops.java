package org.vramkit.ptx.code;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.step.Compare;
import org.vramkit.ptx.step.Compute.Loop;
import org.vramkit.ptx.step.Slot;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Type;

/** Loops over all lanes for the most frequent instructions; the others run lane by lane. */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
final class Loops {
  private static final int LANES = 32;

  private Loops() {}

  static @Nullable Loop move(Type type) {
    return switch (type.bits) {
      case 32 -> (f, d, a, b, c) -> System.arraycopy(f.words[a], 0, f.words[d], 0, LANES);
      case 64 -> (f, d, a, b, c) -> System.arraycopy(f.longs[a], 0, f.longs[d], 0, LANES);
      default -> null;
    };
  }

  static @Nullable Loop select(Type type) {
    return switch (type.bits) {
      case 32 ->
          (f, d, a, b, c) -> {
            int p = f.predicates[c];
            int[] target = f.words[d];
            int[] x = f.words[a];
            int[] y = f.words[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = (p >>> i & 1) != 0 ? x[i] : y[i];
            }
          };
      case 64 ->
          (f, d, a, b, c) -> {
            int p = f.predicates[c];
            long[] target = f.longs[d];
            long[] x = f.longs[a];
            long[] y = f.longs[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = (p >>> i & 1) != 0 ? x[i] : y[i];
            }
          };
      default -> null;
    };
  }

  static @Nullable Loop lop3(int table) {
    return switch (table) {
      case 0x96 -> ternary((x, y, z) -> x ^ y ^ z);
      case 0xe8 -> ternary((x, y, z) -> x & y | x & z | y & z);
      case 0xca -> ternary((x, y, z) -> x & y | ~x & z);
      default -> null;
    };
  }

  private interface Ternary {
    int of(int x, int y, int z);
  }

  private static Loop ternary(Ternary op) {
    return (f, d, a, b, c) -> {
      int[] target = f.words[d];
      int[] x = f.words[a];
      int[] y = f.words[b];
      int[] z = f.words[c];
      for (int i = 0; i < LANES; i++) {
        target[i] = op.of(x[i], y[i], z[i]);
      }
    };
  }

  static @Nullable Loop find(Instruction at, Slot[] sources) {
    Type type = at.getType();
    if (at.has("sat") || at.has("ftz") || at.has("hi") || at.has("relu")) {
      return null;
    }
    return switch (type) {
      case S32, U32, B32 -> areWords(sources) ? words(at, type) : null;
      case S64, U64, B64 -> longs(at);
      case F32 -> at.firstOf("rz", "rm", "rp").isEmpty() ? singles(at) : null;
      default -> null;
    };
  }

  /** Returns whether no operand is wider than its type, as that of a conversion may be. */
  private static boolean areWords(Slot[] sources) {
    return Arrays.stream(sources).allMatch(each -> each.kind() == Slot.Kind.WORD);
  }

  private static @Nullable Loop words(Instruction at, Type type) {
    boolean wide = at.has("wide");
    boolean signed = type.isSigned();
    return switch (at.opcode) {
      case "add" ->
          (f, d, a, b, c) -> {
            int[] target = f.words[d];
            int[] x = f.words[a];
            int[] y = f.words[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = x[i] + y[i];
            }
          };
      case "sub" ->
          (f, d, a, b, c) -> {
            int[] target = f.words[d];
            int[] x = f.words[a];
            int[] y = f.words[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = x[i] - y[i];
            }
          };
      case "and" ->
          (f, d, a, b, c) -> {
            int[] target = f.words[d];
            int[] x = f.words[a];
            int[] y = f.words[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = x[i] & y[i];
            }
          };
      case "or" ->
          (f, d, a, b, c) -> {
            int[] target = f.words[d];
            int[] x = f.words[a];
            int[] y = f.words[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = x[i] | y[i];
            }
          };
      case "xor" ->
          (f, d, a, b, c) -> {
            int[] target = f.words[d];
            int[] x = f.words[a];
            int[] y = f.words[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = x[i] ^ y[i];
            }
          };
      case "shl" ->
          (f, d, a, b, c) -> {
            int[] target = f.words[d];
            int[] x = f.words[a];
            int[] y = f.words[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = (y[i] & -32) != 0 ? 0 : x[i] << y[i];
            }
          };
      case "shr" ->
          signed
              ? null
              : (f, d, a, b, c) -> {
                int[] target = f.words[d];
                int[] x = f.words[a];
                int[] y = f.words[b];
                for (int i = 0; i < LANES; i++) {
                  target[i] = (y[i] & -32) != 0 ? 0 : x[i] >>> y[i];
                }
              };
      case "mul" -> wide ? wide(signed) : Loops::multiply;
      case "mad" -> wide ? null : Loops::multiplyAdd;
      case "cvt" ->
          at.types.get(0).bits != 64 || at.types.get(0).isFloat()
              ? null
              : (f, d, a, b, c) -> {
                long[] target = f.longs[d];
                int[] x = f.words[a];
                for (int i = 0; i < LANES; i++) {
                  target[i] = signed ? x[i] : x[i] & 0xffffffffL;
                }
              };
      default -> null;
    };
  }

  private static void multiply(org.vramkit.ptx.run.Frame f, int d, int a, int b, int c) {
    int[] target = f.words[d];
    int[] x = f.words[a];
    int[] y = f.words[b];
    for (int i = 0; i < LANES; i++) {
      target[i] = x[i] * y[i];
    }
  }

  private static void multiplyAdd(org.vramkit.ptx.run.Frame f, int d, int a, int b, int c) {
    int[] target = f.words[d];
    int[] x = f.words[a];
    int[] y = f.words[b];
    int[] z = f.words[c];
    for (int i = 0; i < LANES; i++) {
      target[i] = x[i] * y[i] + z[i];
    }
  }

  private static Loop wide(boolean signed) {
    return (f, d, a, b, c) -> {
      long[] target = f.longs[d];
      int[] x = f.words[a];
      int[] y = f.words[b];
      if (signed) {
        for (int i = 0; i < LANES; i++) {
          target[i] = (long) x[i] * y[i];
        }
      } else {
        for (int i = 0; i < LANES; i++) {
          target[i] = (x[i] & 0xffffffffL) * (y[i] & 0xffffffffL);
        }
      }
    };
  }

  private static @Nullable Loop longs(Instruction at) {
    return switch (at.opcode) {
      case "add" ->
          (f, d, a, b, c) -> {
            long[] target = f.longs[d];
            long[] x = f.longs[a];
            long[] y = f.longs[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = x[i] + y[i];
            }
          };
      case "shl" ->
          (f, d, a, b, c) -> {
            long[] target = f.longs[d];
            long[] x = f.longs[a];
            int[] y = f.words[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = (y[i] & -64) != 0 ? 0 : x[i] << y[i];
            }
          };
      default -> null;
    };
  }

  private static @Nullable Loop singles(Instruction at) {
    return switch (at.opcode) {
      case "add" ->
          (f, d, a, b, c) -> {
            int[] target = f.words[d];
            int[] x = f.words[a];
            int[] y = f.words[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = bits(Float.intBitsToFloat(x[i]) + Float.intBitsToFloat(y[i]));
            }
          };
      case "sub" ->
          (f, d, a, b, c) -> {
            int[] target = f.words[d];
            int[] x = f.words[a];
            int[] y = f.words[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = bits(Float.intBitsToFloat(x[i]) - Float.intBitsToFloat(y[i]));
            }
          };
      case "mul" ->
          (f, d, a, b, c) -> {
            int[] target = f.words[d];
            int[] x = f.words[a];
            int[] y = f.words[b];
            for (int i = 0; i < LANES; i++) {
              target[i] = bits(Float.intBitsToFloat(x[i]) * Float.intBitsToFloat(y[i]));
            }
          };
      case "fma" ->
          (f, d, a, b, c) -> {
            int[] target = f.words[d];
            int[] x = f.words[a];
            int[] y = f.words[b];
            int[] z = f.words[c];
            for (int i = 0; i < LANES; i++) {
              target[i] =
                  bits(
                      Math.fma(
                          Float.intBitsToFloat(x[i]),
                          Float.intBitsToFloat(y[i]),
                          Float.intBitsToFloat(z[i])));
            }
          };
      default -> null;
    };
  }

  private static int bits(float value) {
    return Float.isNaN(value) ? (int) Floats.NAN : Float.floatToRawIntBits(value);
  }

  static Compare.@Nullable Bits compare(Instruction at) {
    Type type = at.getType();
    if (type.bits != 32 || type.isFloat()) {
      return null;
    }
    boolean signed = type.isSigned();
    int flip = signed ? 0 : Integer.MIN_VALUE;
    return switch (at.modifiers.get(0)) {
      case "eq" ->
          (f, a, b) -> {
            int[] x = f.words[a];
            int[] y = f.words[b];
            int bits = 0;
            for (int i = 0; i < LANES; i++) {
              bits |= x[i] == y[i] ? 1 << i : 0;
            }
            return bits;
          };
      case "ne" ->
          (f, a, b) -> {
            int[] x = f.words[a];
            int[] y = f.words[b];
            int bits = 0;
            for (int i = 0; i < LANES; i++) {
              bits |= x[i] != y[i] ? 1 << i : 0;
            }
            return bits;
          };
      case "lt" -> (f, a, b) -> less(f.words[a], f.words[b], flip);
      case "gt" -> (f, a, b) -> less(f.words[b], f.words[a], flip);
      case "ge" -> (f, a, b) -> ~less(f.words[a], f.words[b], flip);
      case "le" -> (f, a, b) -> ~less(f.words[b], f.words[a], flip);
      default -> null;
    };
  }

  private static int less(int[] x, int[] y, int flip) {
    int bits = 0;
    for (int i = 0; i < LANES; i++) {
      bits |= (x[i] ^ flip) < (y[i] ^ flip) ? 1 << i : 0;
    }
    return bits;
  }
}
