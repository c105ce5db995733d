#!/usr/bin/env bash
# JavaCPP 1.5.13 (HalfIndexer) and DJL 0.36.0 (Float16Utils): float to half rounds ties up, and the largest float to NaN.
#
# A reader expects IEEE 754's rounding, to the nearest and ties to even, as __float2half of CUDA, PyTorch, NumPy and
# Float.floatToFloat16 of JDK 20 do. Both libraries round a tie away from zero, and take 65520 to below 65536, which
# round to infinity, as 65504; Float.MAX_VALUE, the usual start of a minimum, becomes 7fff, a NaN. Weights prepared in Java
# then differ by one bit from weights that the GPU converts, and an overflow that a GPU shows stays hidden. HalfIndexer and
# Float16Utils agree on each value tried. Arrow's Float16 is right and is printed for comparison.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.bytedeco:javacpp:1.5.13 ai.djl:api:0.36.0 org.apache.arrow:arrow-memory-core:18.3.0

cat >Probe.java <<'END'
import ai.djl.util.Float16Utils;
import org.apache.arrow.memory.util.Float16;
import org.bytedeco.javacpp.indexer.HalfIndexer;

class Probe {
  public static void main(String[] arguments) {
    // Half of the distance from 1 to the next half above it; the same, one step higher; and the top of the range.
    for (float value : new float[] {0x1.002p0f, 0x1.006p0f, -0x1.002p0f, 65519f, 65520f, 65535f, 65536f, Float.MAX_VALUE}) {
      System.out.printf(
          "%s: javacpp %04x, djl %04x, arrow %04x%n",
          Float.toHexString(value),
          HalfIndexer.fromFloat(value) & 0xffff,
          Float16Utils.floatToHalf(value) & 0xffff,
          Float16.toFloat16(value) & 0xffff);
    }
  }
}
END

guess='0x1.002p0: javacpp 3c00, djl 3c00, arrow 3c00
0x1.006p0: javacpp 3c02, djl 3c02, arrow 3c02
-0x1.002p0: javacpp bc00, djl bc00, arrow bc00
0x1.ffdep15: javacpp 7bff, djl 7bff, arrow 7bff
0x1.ffep15: javacpp 7c00, djl 7c00, arrow 7c00
0x1.fffep15: javacpp 7c00, djl 7c00, arrow 7c00
0x1.0p16: javacpp 7c00, djl 7c00, arrow 7c00
0x1.fffffep127: javacpp 7c00, djl 7c00, arrow 7c00'
known='0x1.002p0: javacpp 3c01, djl 3c01, arrow 3c00
0x1.006p0: javacpp 3c02, djl 3c02, arrow 3c02
-0x1.002p0: javacpp bc01, djl bc01, arrow bc00
0x1.ffdep15: javacpp 7bff, djl 7bff, arrow 7bff
0x1.ffep15: javacpp 7bff, djl 7bff, arrow 7c00
0x1.fffep15: javacpp 7bff, djl 7bff, arrow 7c00
0x1.0p16: javacpp 7c00, djl 7c00, arrow 7c00
0x1.fffffep127: javacpp 7fff, djl 7fff, arrow 7c00'
observe "javacpp 1.5.13, djl api 0.36.0, arrow-memory-core 18.3.0, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
