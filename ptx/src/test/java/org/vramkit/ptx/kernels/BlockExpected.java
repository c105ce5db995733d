package org.vramkit.ptx.kernels;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The results of the kernels of control.cu, shared.cu, warps.cu, atomics.cu, memory.cu, in plain
 * Java.
 */
@SuppressWarnings({
  "IntLongMath",
  "NarrowCalculation",
  "OperatorPrecedence",
  "UnnecessaryParentheses"
}) // as in CUDA
final class BlockExpected {
  /** All words of a result. */
  @FunctionalInterface
  interface Whole {
    void of(int[] in, int[] out, int n);
  }

  /** One word of a result. */
  @FunctionalInterface
  interface Word {
    int of(int[] in, int i, int n);
  }

  static final Map<String, Whole> WHOLES = new HashMap<>();
  private static final int[] TABLE = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
  private static final int[] VALUES = {10, 20, 30, 40};

  static {
    control();
    shared();
    warps();
    atomics();
    memory();
  }

  private BlockExpected() {}

  private static void all(String kernel, Whole whole) {
    WHOLES.put(kernel, whole);
  }

  private static void each(String kernel, Word word) {
    all(kernel, (in, out, n) -> Arrays.setAll(out, i -> word.of(in, i, n)));
  }

  private static int fibonacci(int k) {
    return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2);
  }

  private static void control() {
    each(
        "jumpTable",
        (in, i, n) -> {
          int a = in[i];
          return switch (a & 7) {
            case 0 -> a + 5;
            case 1 -> a * 77;
            case 2 -> Integer.bitCount(a);
            case 3 -> a ^ 0x1234;
            case 4 -> -a;
            case 5 -> a << 7;
            case 6 -> a >> 3;
            default -> 1;
          };
        });
    each("recursion", (in, i, n) -> fibonacci(in[i] & 7));
    each(
        "functionPointers",
        (in, i, n) -> {
          int x = in[i] & 255;
          int which = Integer.remainderUnsigned(in[i], 3);
          return which == 0 ? x + 10 : which == 1 ? x * x : -x;
        });
    each("virtualFunctions", (in, i, n) -> (in[i] & 255) * ((in[i] & 1) != 0 ? in[i] & 255 : 3));
    each(
        "localHistogram",
        (in, i, n) -> {
          int[] bins = new int[16];
          for (int k = 0; k < 32; k++) {
            bins[(in[i] >> (k & 15)) + k & 15]++;
          }
          return Arrays.stream(bins).reduce(0, (r, v) -> r * 5 + v);
        });
    each(
        "localSort",
        (in, i, n) -> {
          int[] v = new int[12];
          Arrays.setAll(v, k -> in[(i + k * 7) % n] & 0xffff);
          Arrays.sort(v);
          return Arrays.stream(v).reduce(in[i], (r, x) -> r * 31 + x);
        });
    each("divergentLoops", (in, i, n) -> divergent(in[i]));
    each(
        "earlyReturns",
        (in, i, n) -> {
          int a = in[i];
          int clamped = Math.max(-1000, Math.min(1000, a));
          return (a & 3) == 0 ? -1 : (a & 3) == 1 ? clamped : clamped + 5;
        });
    each("structs", (in, i, n) -> (in[i] * 2 ^ 0b11) + (int) ((long) in[i] * in[i] >> 5));
    each("nested", (in, i, n) -> nested(in[i]));
    each(
        "irreducible",
        (in, i, n) -> {
          int r = 0;
          int k = in[i] & 15;
          boolean middle = (in[i] & 16) != 0;
          do {
            r = middle ? r : r + 3;
            middle = false;
            r ^= k;
          } while (--k > 0);
          return r;
        });
    each(
        "pointerToLocal",
        (in, i, n) -> {
          int r = 0;
          for (int k = 0; k < 8; k++) {
            r += in[i] >> k;
          }
          for (int k = 0; k < (in[i] & 7); k++) {
            r += in[k];
          }
          return r;
        });
  }

  private static int divergent(int a) {
    int r = 0;
    for (int k = 0; k < (a & 31); k++) {
      if ((k & 1) != 0) {
        r += k * a;
      } else {
        for (int j = 0; j < (k & 3); j++) {
          r ^= j + k;
        }
      }
      if (r != 77 && k > 20 && (r & 64) != 0) {
        break;
      }
    }
    return r;
  }

  private static int nested(int a) {
    if ((a & 1) != 0) {
      int r = (a & 2) != 0 ? (a & 4) != 0 ? 1 : 2 : (a & 8) != 0 ? 3 : 4;
      return r * 10;
    }
    if ((a & 16) == 0) {
      return -7;
    }
    int last = Math.max(1, a >> 5 & 7);
    return last * (last - 1) / 2;
  }

  private static int sum(int[] in, int from, int to) {
    int sum = 0;
    for (int i = from; i < to; i++) {
      sum += in[i];
    }
    return sum;
  }

  private static void shared() {
    each("blockSum", (in, b, n) -> sum(in, b * n, b * n + n));
    each("blockScan", (in, i, n) -> sum(in, i / n * n, i + 1));
    each("transpose", (in, i, n) -> in[i / 256 * 256 + i % 16 * 16 + i % 256 / 16]);
    each(
        "matrixProduct",
        (in, i, n) -> {
          int sum = 0;
          for (int k = 0; k < 32; k++) {
            sum += in[i / 32 * 32 + k] * in[1024 + k * 32 + i % 32];
          }
          return sum;
        });
    all("sharedHistogram", (in, out, n) -> Arrays.stream(in).forEach(v -> out[v & 63]++));
    all(
        "bitonicSort",
        (in, out, n) -> {
          System.arraycopy(in, 0, out, 0, out.length);
          for (int b = 0; b < out.length; b += n) {
            Arrays.sort(out, b, b + n);
          }
        });
    each("dynamicReverse", (in, i, n) -> in[i / n * n + n - 1 - i % n]);
    each(
        "stencil",
        (in, i, n) -> (i % n == 0 ? 0 : in[i - 1]) - 2 * in[i] + (i % n == n - 1 ? 0 : in[i + 1]));
    each(
        "syncCounts",
        (in, i, n) -> {
          int b = i / n * n;
          int odd = 0;
          boolean any = false;
          for (int k = b; k < b + n; k++) {
            odd += in[k] & 1;
            any |= in[k] == in[0];
          }
          return odd + (any ? 1000 : 0);
        });
    each("namedBarriers", (in, i, n) -> in[i / 64 * 64 + 63 - i % 64]);
    each("producerConsumer", (in, i, n) -> in[i / 64 * 128 + 63 - i % 64] * 3);
    each(
        "sharedBytes",
        (in, i, n) -> {
          int b = i / n * n;
          return (in[b + 255 - i % n] & 255) + (short) (in[b + (i * 3 & 127)] >> 4);
        });
    each("pointersToShared", (in, i, n) -> in[i]);
  }

  private static void warps() {
    all(
        "shuffleSum",
        (in, out, n) -> {
          for (int w = 0; w < in.length / 32; w++) {
            out[w] = sum(in, 32 * w, 32 * w + 32);
          }
        });
    each(
        "butterfly",
        (in, i, n) -> Arrays.stream(in, i / 32 * 32, i / 32 * 32 + 32).max().orElseThrow());
    each("warpScan", (in, i, n) -> sum(in, i / 32 * 32, i + 1));
    each("broadcast", (in, i, n) -> in[i / 32 * 32 + 5] + in[i / 8 * 8 + (i & 3)]);
    each("shuffle64", (in, i, n) -> (int) (in[i ^ 9] * 1000003L >> 11));
    each(
        "ballot",
        (in, i, n) -> {
          int before = 0;
          int odd = 0;
          for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
            odd += in[k] & 1;
            before += k < i ? in[k] & 1 : 0;
          }
          return (in[i] & 1) != 0 ? before : -odd;
        });
    each(
        "anyAll",
        (in, i, n) -> {
          int any = 0;
          for (int lane = 0; lane < 32; lane++) {
            any |= (in[i / 32 * 32 + lane] & 31) == lane ? 1 : 0;
          }
          return any + 2;
        });
    each(
        "matchAny",
        (in, i, n) -> {
          int mask = 0;
          for (int lane = 0; lane < 32; lane++) {
            mask |= ((in[i / 32 * 32 + lane] ^ in[i]) & 7) == 0 ? 1 << lane : 0;
          }
          return mask;
        });
    each("halfWarps", (in, i, n) -> (i & 31) < 16 ? in[i] + in[i ^ 1] : in[i] - in[i ^ 2]);
    each("tiles", (in, i, n) -> sum(in, i / 8 * 8, i / 8 * 8 + 8) + (i & 7));
    each(
        "coalesced",
        (in, i, n) -> {
          int size = 0;
          int rank = 0;
          for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
            size += in[k] & 1;
            rank += k < i ? in[k] & 1 : 0;
          }
          return (in[i] & 1) == 0 ? 0 : size * 100 + rank;
        });
    each("divergedShuffle", (in, i, n) -> (i & 1) != 0 ? in[i ^ 1] - 1 : in[i ^ 1] * 3);
    each("laneSpins", (in, i, n) -> in[i] + ((i & 31) == 7 ? 1 : (i & 31) == 3 ? 2 : 0));
  }

  private static void atomics() {
    all(
        "sumAll",
        (in, out, n) -> {
          long wide = 0;
          for (int i = 0; i < n; i++) {
            out[0] += in[i];
            wide += in[i] & 0xffffffffL;
          }
          out[2] = (int) wide;
          out[3] = (int) (wide >> 32);
        });
    all(
        "extremesOfAll",
        (in, out, n) -> {
          for (int i = 0; i < n; i++) {
            out[0] = Math.min(out[0], in[i]);
            out[1] = Math.max(out[1], in[i]);
            out[2] &= in[i] | 0xff;
            out[3] |= in[i] & 0xff00;
            out[4] ^= in[i];
          }
        });
    all(
        "tickets",
        (in, out, n) -> {
          out[0] = n;
          Arrays.fill(out, 1, n + 1, 1);
        });
    all(
        "incrementDecrement",
        (in, out, n) -> {
          out[0] = n % 11;
          out[1] = (101 - n % 101) % 101;
        });
    all(
        "floatMaximum",
        (in, out, n) -> {
          float most = 0;
          for (int i = 0; i < n; i++) {
            most = Math.max(most, (in[i] >> 8) / 1024.0f);
          }
          out[0] = Float.floatToRawIntBits(most);
        });
    all("exchange", (in, out, n) -> out[0] = in[0]);
    all(
        "lastBlock",
        (in, out, n) -> {
          for (int b = 0; b < n / 128; b++) {
            out[1 + b] = sum(in, 128 * b, 128 * b + 128);
            out[0] += out[1 + b];
          }
        });
    all("spinLock", (in, out, n) -> out[0] = Arrays.stream(in, 0, n).map(a -> a & 255).sum());
    all(
        "blocksWait",
        (in, out, n) -> {
          for (int b = n - 1; b >= 0; b--) {
            out[b] = (b + 1 < n ? out[b + 1] : 0) + in[b];
            out[64 + b] = 1;
          }
        });
    all("histogram", (in, out, n) -> Arrays.stream(in, 0, n).forEach(a -> out[a >>> 26]++));
  }

  private static void memory() {
    each("constants", (in, i, n) -> TABLE[in[i] & 15] + (int) (in[i] * 0.25));
    each(
        "globals",
        (in, i, n) ->
            1000
                + VALUES[in[i] & 3]
                + ((in[i] >> 2 & 1) == 0 ? 20 : 1000)
                + "Vramkit".charAt(Integer.remainderUnsigned(in[i], 7)));
    each(
        "vectors",
        (in, i, n) -> {
          int v = i / 4 * 4;
          return switch (i & 3) {
            case 0 -> in[v + 3];
            case 1 -> in[v + 2] + in[v];
            case 2 -> in[v + 1];
            default -> in[v] ^ in[v + 3];
          };
        });
    each("bytes", (in, i, n) -> in[i] & 255 | (in[i] >> 9 & 255) << 8 | (in[i] >> 16) * 3 << 16);
    each(
        "gather",
        (in, i, n) -> {
          int r = 0;
          for (int k = 0; k < 5; k++) {
            r += in[Integer.remainderUnsigned(in[i] + k * 7919, n)];
          }
          return r;
        });
    each("strided", (in, i, n) -> in[n - 1 - i] * 2);
    each(
        "doubles",
        (in, i, n) -> {
          long bits = Double.doubleToRawLongBits(in[i / 2 * 2] * 0.5 + in[i / 2 * 2 + 1]);
          return (int) ((i & 1) == 0 ? bits : bits >> 32);
        });
    each("dimensions", (in, i, n) -> in[i] + i % 12 * 100 + i / 12 % 6 * 10 + i / 72);
    each(
        "unions",
        (in, i, n) -> {
          int a = in[i];
          int swapped = a & 0xffff00 | a >>> 24 | a << 24;
          return swapped ^ 0x55 << 8 * (a & 3);
        });
  }
}
