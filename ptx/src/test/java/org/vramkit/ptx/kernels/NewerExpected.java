package org.vramkit.ptx.kernels;

import java.util.HashMap;
import java.util.Map;
import org.vramkit.ptx.kernels.BlockExpected.Whole;
import org.vramkit.ptx.kernels.BlockExpected.Word;

/** The results of the kernels of newer.cu, in plain Java. Most have blocks of 64 threads. */
@SuppressWarnings({"IntLongMath", "OperatorPrecedence"}) // as in CUDA
final class NewerExpected {
  static final Map<String, Whole> WHOLES = new HashMap<>();
  private static final int BLOCK = 64;
  private static final int WARP = 32;

  static {
    barriers();
    atomics();
    groups();
    each(
        "contractedSums",
        (in, i, n) -> {
          float a = in[i];
          float b = in[(i + 1) % n];
          float c = in[(i + 2) % n];
          int h = bits(Math.fma(a, b, c)) * 31 + bits(Math.fma(-a, b, c));
          h = h * 31 + bits(Math.fma(b, b, -(c * c)));
          double d = in[i] * 0.7;
          double product = in[(i + 1) % n];
          double rest = Math.fma(product, 0.3, -(d * d));
          return h * 31 + (int) Double.doubleToRawLongBits(rest);
        });
  }

  private NewerExpected() {}

  private static void each(String kernel, Word word) {
    WHOLES.put(
        kernel,
        (in, out, n) -> {
          for (int i = 0; i < out.length; i++) {
            out[i] = word.of(in, i, n);
          }
        });
  }

  private static int bits(float value) {
    return Float.floatToRawIntBits(value);
  }

  private static int first(int i) {
    return i - i % BLOCK;
  }

  /** Returns the element of the thread whose number is the mirror image. */
  private static int mirrored(int[] in, int i) {
    return in[first(i) + BLOCK - 1 - i % BLOCK];
  }

  private static void barriers() {
    WHOLES.put(
        "barrierPhases",
        (in, out, n) -> {
          int[] values = in.clone();
          for (int phase = 0; phase < 5; phase++) {
            int[] before = values.clone();
            for (int i = 0; i < values.length; i++) {
              values[i] += before[first(i) + (i + 17) % BLOCK] * (phase + 1);
            }
          }
          System.arraycopy(values, 0, out, 0, out.length);
        });
    each("barrierDrops", (in, i, n) -> i % BLOCK < 40 ? in[i] : in[i] + in[i - 40]);
    each("barrierParity", (in, i, n) -> i % BLOCK < WARP ? i % BLOCK : mirrored(in, i));
    each("barrierOfCopies", (in, i, n) -> mirrored(in, i));
    each("bulkCopy", (in, i, n) -> mirrored(in, i) * 3);
    each("tileCopy", (in, i, n) -> in[i - i % WARP + WARP - 1 - i % WARP]);
    each("partsOfWarps", (in, i, n) -> in[i - i % WARP + WARP - 1]);
    each("threeOfFour", (in, i, n) -> in[first(i)] + in[first(i) + 1] * 3 + in[first(i) + 2] * 5);
  }

  private static void atomics() {
    WHOLES.put(
        "swapPairs",
        (in, out, n) -> {
          long sum = 0;
          long bits = 0;
          for (int each : in) {
            sum += each;
            bits ^= each;
          }
          long[] all = {sum, bits, 5, -6};
          for (int i = 0; i < all.length; i++) {
            out[2 * i] = (int) all[i];
            out[2 * i + 1] = (int) (all[i] >> 32);
          }
        });
    WHOLES.put(
        "floatVectors",
        (in, out, n) -> {
          int sevens = 0;
          int threes = 0;
          for (int each : in) {
            sevens += each & 7;
            threes += each & 3;
          }
          float[] all = {sevens, n, 0, 0, n, threes, 2 * n, 3 * n};
          for (int i = 0; i < all.length; i++) {
            out[i] = bits(all[i]);
          }
        });
  }

  private static void groups() {
    each(
        "groupOfWarps",
        (in, i, n) -> {
          int sum = in[first(i) + 40];
          for (int k = first(i); k < first(i) + BLOCK; k++) {
            sum += in[k];
          }
          return sum;
        });
    each("reduceWords", (in, i, n) -> reduced(in, i));
  }

  private static int reduced(int[] in, int i) {
    int sum = 0;
    int least = Integer.MAX_VALUE;
    int most = 0;
    int odd = 0;
    int even = Integer.MIN_VALUE;
    for (int k = i - i % WARP; k < i - i % WARP + WARP; k++) {
      sum += in[k];
      least = Math.min(least, in[k]);
      most = Integer.compareUnsigned(in[k], most) > 0 ? in[k] : most;
      odd ^= (in[k] & 1) != 0 ? in[k] : 0;
      even = (in[k] & 1) == 0 ? Math.max(even, in[k]) : even;
    }
    return (sum ^ least ^ most) + ((in[i] & 1) != 0 ? odd : even);
  }
}
