package org.vramkit.ptx.kernels;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/** The results of the kernels of arithmetic.cu and floats.cu, in plain Java. */
@SuppressWarnings({
  "IntLongMath",
  "NarrowCalculation",
  "OperatorPrecedence",
  "UnnecessaryParentheses"
}) // as in CUDA
final class ArithmeticExpected {
  /** The word of one element. */
  @FunctionalInterface
  interface Element {
    int of(int a, int b, int i);
  }

  /** The word of one element of floating point; {@code x} and {@code y} are the raw words. */
  @FunctionalInterface
  interface FloatElement {
    int of(float a, float b, int i, int x, int y);
  }

  static final Map<String, Element> ELEMENTS = new HashMap<>();

  static {
    put("addSub", (a, b, i) -> (a + b) * 3 - (b - a));
    put("mulHigh", (a, b, i) -> high(a, b) ^ (int) ((a & 0xffffffffL) * (b & 0xffffffffL) >>> 32));
    put(
        "divRem",
        (a, b, i) -> {
          int d = b | 1;
          int unsigned = Integer.divideUnsigned(a, d) - Integer.remainderUnsigned(a, d);
          return a / d + a % d + unsigned;
        });
    put("divConstant", (a, b, i) -> a / 7 + a % 10 + Integer.divideUnsigned(a, 1000));
    put("shifts", (a, b, i) -> (a << b) ^ (a >> b) ^ (a >>> b));
    put(
        "bitCounts",
        (a, b, i) ->
            Integer.bitCount(a)
                + 100 * Integer.numberOfLeadingZeros(a)
                + 10000 * (a == 0 ? 0 : Integer.numberOfTrailingZeros(a) + 1)
                + (Integer.reverse(a) >>> 16));
    put(
        "minMaxAbs",
        (a, b, i) ->
            Math.min(a, b)
                - Math.max(a, b)
                + Math.abs(a)
                + (Integer.compareUnsigned(a, b) < 0 ? a : b));
    put("permuteBytes", (a, b, i) -> permute(a, b, 0x3715) ^ permute(a, b, b & 0x7777));
    put(
        "funnelShift",
        (a, b, i) -> {
          long both = (long) b << 32 | (a & 0xffffffffL);
          return (int) (both << (b & 31) >>> 32) ^ (int) (both >>> Math.min(b & 63, 32));
        });
    put(
        "dotBytes",
        (a, b, i) -> {
          int sum = i;
          for (int k = 0; k < 32; k += 8) {
            sum += (byte) (a >> k) * (byte) (b >> k);
          }
          return sum;
        });
    put(
        "wide",
        (a, b, i) -> {
          long p = (long) a * b + i;
          return (int) (p >> 17) ^ (int) p;
        });
    put(
        "divide64",
        (a, b, i) -> {
          long p = (long) a * 123457;
          long d = (long) (b | 1) * 3;
          return (int) (p / d) + (int) (p % d) + (int) Long.divideUnsigned(p, d);
        });
    put(
        "multiply128",
        (a, b, i) -> {
          BigInteger p =
              BigInteger.valueOf((long) a << 31).multiply(BigInteger.valueOf((long) b << 20 | 77));
          return p.shiftRight(64).intValue() ^ p.shiftRight(32).intValue();
        });
    put(
        "sumOfDifferences",
        (a, b, i) -> {
          long signed = Math.abs((long) a - b);
          long unsigned = Math.abs((a & 0xffffffffL) - (b & 0xffffffffL));
          return (int) signed + i + (int) unsigned + 5;
        });
    put("bitFields", (a, b, i) -> (a >>> 5 & 511) + (b & ~(127 << 11) | (a & 127) << 11));
    put(
        "logic",
        (a, b, i) -> {
          int c = a + b;
          return (a & b | ~a & c) ^ (a ^ b ^ c) + (a & b | a & c | b & c);
        });
    put(
        "fourBytes",
        (a, b, i) -> {
          int result = 0;
          for (int k = 0; k < 32; k += 8) {
            int x = a >>> k & 255;
            int y = b >>> k & 255;
            int two =
                (Math.max((short) (a >> (k & 16)), (short) (b >> (k & 16)))) >>> (k & 8) & 255;
            result |= ((x + y & 255) ^ Math.abs(x - y) ^ two ^ (x > y ? 255 : 0)) << k;
          }
          return result;
        });
    put(
        "collatz",
        (a, b, i) -> {
          long v = (a & 1023) + 1;
          int steps = 0;
          for (; v != 1; steps++) {
            v = v % 2 == 1 ? 3 * v + 1 : v / 2;
          }
          return steps;
        });
    put(
        "gcd",
        (a, b, i) -> BigInteger.valueOf(a & 0xffff).gcd(BigInteger.valueOf(b & 0xffff)).intValue());
    put(
        "crc",
        (a, b, i) -> {
          int c = ~a;
          for (int k = 0; k < 32; k++) {
            c = (c & 1) != 0 ? c >>> 1 ^ 0xedb88320 : c >>> 1;
          }
          return ~c;
        });
    put("isPrime", (a, b, i) -> BigInteger.valueOf(a & 4095).isProbablePrime(30) ? 1 : 0);
    put(
        "shortsAndBytes",
        (a, b, i) -> (short) a * (byte) b + (a >> 8 & 0xffff) - (short) ((short) a + (byte) b));
    floats();
  }

  private ArithmeticExpected() {}

  private static void put(String kernel, Element element) {
    ELEMENTS.put(kernel, element);
  }

  private static void put(String kernel, FloatElement element) {
    ELEMENTS.put(kernel, (x, y, i) -> element.of((x >> 8) / 1024.0f, (y >> 12) / 64.0f, i, x, y));
  }

  private static int high(int a, int b) {
    return (int) ((long) a * b >> 32);
  }

  private static int permute(int a, int b, int selectors) {
    long both = (long) b << 32 | (a & 0xffffffffL);
    int result = 0;
    for (int k = 0; k < 4; k++) {
      result |= (int) (both >>> 8 * (selectors >> 4 * k & 7) & 255) << 8 * k;
    }
    return result;
  }

  private static int bits(float value) {
    return Float.floatToRawIntBits(value);
  }

  private static int fold(double value) {
    long bits = Double.doubleToRawLongBits(value);
    return (int) (bits >> 32) ^ (int) bits;
  }

  private static float trunc(float v) {
    return (float) (v < 0 ? Math.ceil(v) : Math.floor(v));
  }

  /** Rounds to the nearest 11 bits, for values within the normal numbers of f16 and beyond. */
  private static int half(float v) {
    if (Math.abs(v) >= 65520) {
      return v < 0 ? 0xfc00 : 0x7c00;
    }
    double scaled = Math.abs(v);
    int exponent = Math.max(Math.getExponent(scaled), -14);
    long mantissa = (long) Math.rint(Math.scalb(scaled, 10 - exponent));
    int magnitude = (int) (mantissa + ((exponent + 14L) << 10));
    return magnitude | (v < 0 || 1 / v < 0 ? 0x8000 : 0);
  }

  private static float ofHalf(int bits) {
    int magnitude = bits & 0x7fff;
    float value =
        magnitude >= 0x7c00
            ? Float.POSITIVE_INFINITY
            : (float)
                Math.scalb(
                    (double) (magnitude < 1024 ? magnitude : (magnitude & 1023) | 1024),
                    Math.max(magnitude >> 10, 1) - 25);
    return (bits & 0x8000) != 0 ? -value : value;
  }

  private static int bfloat(float v) {
    int bits = bits(v);
    return bits + 0x7fff + (bits >>> 16 & 1) >>> 16;
  }

  private static void floats() {
    put("multiplyAdd", (a, b, i, x, y) -> bits(Math.fma(a, b, 1.5f)));
    put("multiplyThenAdd", (a, b, i, x, y) -> bits(a * b + -a));
    put("divide", (a, b, i, x, y) -> bits(a / (b == 0 ? 1 : b)));
    put("squareRoot", (a, b, i, x, y) -> bits((float) Math.sqrt(Math.abs(a))));
    put("reciprocal", (a, b, i, x, y) -> bits(1 / (b == 0 ? 3 : b)));
    put(
        "polynomial",
        (a, b, i, x, y) -> {
          double v = a;
          double upper = Math.fma(Math.fma(v, 0.5, 3), v, -2);
          return fold(upper / Math.fma(v, v, 1));
        });
    put("squareRootDouble", (a, b, i, x, y) -> fold(Math.sqrt(Math.abs((double) a) * b * b)));
    put(
        "toInteger",
        (a, b, i, x, y) ->
            (int) Math.rint(a)
                ^ (int) b << 3
                ^ (int) Math.ceil(a) << 7
                ^ (int) Math.floor(b) << 11);
    put("fromInteger", (a, b, i, x, y) -> bits((float) x) ^ bits((float) (x & 0xffffffffL)));
    put("extremes", (a, b, i, x, y) -> bits(Math.min(a, b)) + bits(Math.max(a, b)));
    put(
        "compare",
        (a, b, i, x, y) -> (a < b ? 1 : 0) + (a <= b ? 2 : 0) + (a > b ? 4 : 0) + (a == b ? 8 : 0));
    put(
        "rounding",
        (a, b, i, x, y) ->
            bits((float) Math.floor(a))
                ^ bits((float) Math.ceil(b))
                ^ bits((float) Math.rint(a)) + bits(trunc(b)));
    put(
        "horner",
        (a, b, i, x, y) -> {
          float v = 0;
          for (int k = 1; k < 20; k++) {
            v = Math.fma(v, 0.75f, a / k);
          }
          return bits(v + b);
        });
    put("toHalf", (a, b, i, x, y) -> half(a) | half(ofHalf(half(a)) * 2) << 16);
    put("toBfloat", (a, b, i, x, y) -> bfloat(a) + (bfloat(b) << 16));
    put(
        "newton",
        (a, b, i, x, y) -> {
          float v = Math.abs(a) + 1;
          float root = 1;
          for (int k = 0; k < 40; k++) {
            root = 0.5f * (root + v / root);
          }
          return bits(Math.fma(b, 0, root));
        });
    put(
        "mandelbrot",
        (a, b, i, x, y) -> {
          float re = 0;
          float im = 0;
          float cx = i % 64 / 24.0f - 2;
          float cy = i / 64 / 24.0f - 1;
          int k = 0;
          while (k < 100 && re * re + im * im < 4) {
            float next = re * re - im * im + cx;
            im = 2 * re * im + cy;
            re = next;
            k++;
          }
          return k;
        });
  }
}
