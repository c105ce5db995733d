#!/usr/bin/env bash
# JavaCPP 1.5.13 (Bfloat16Indexer) and TensorFlow Java's ndarray 1.0.0: float to bfloat16 truncates.
#
# A reader expects rounding to the nearest, as __float2bfloat16 of CUDA, PyTorch and XLA do. Both libraries drop the low
# 16 bits: 1.0078124, all but 1.0078125, becomes 1.0. Half of all values differ by one bit from the GPU's conversion, always
# towards zero, so sums and means of weights are biased; the largest floats stay finite where the GPU has infinity.
# ONNX Runtime's Fp16Conversions rounds to the nearest.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.bytedeco:javacpp:1.5.13 org.tensorflow:ndarray:1.0.0

cat >Probe.java <<'END'
import java.util.Random;
import org.bytedeco.javacpp.indexer.Bfloat16Indexer;
import org.tensorflow.ndarray.buffer.DataBuffers;
import org.tensorflow.ndarray.buffer.FloatDataBuffer;
import org.tensorflow.ndarray.buffer.layout.DataLayouts;

class Probe {
  static float javacpp(float value) {
    return Bfloat16Indexer.toFloat(Bfloat16Indexer.fromFloat(value));
  }

  static float tensorflow(float value) {
    FloatDataBuffer buffer = DataLayouts.BFLOAT16.applyTo(DataBuffers.ofShorts(1));
    return buffer.setFloat(value, 0).getFloat(0);
  }

  public static void main(String[] arguments) {
    for (float value : new float[] {1.0078124f, -1.0078124f, Float.MAX_VALUE}) {
      System.out.printf("%s: javacpp %s, tensorflow %s%n", value, javacpp(value), tensorflow(value));
    }
    Random random = new Random(1);
    int javacpp = 0;
    int tensorflow = 0;
    for (int i = 0; i < 100_000; i++) {
      float value = 1 + random.nextFloat();
      javacpp += javacpp(value) > value ? 1 : 0;
      tensorflow += tensorflow(value) > value ? 1 : 0;
    }
    System.out.printf("of 100000 values in [1, 2), rounded up: javacpp %d, tensorflow %d%n", javacpp, tensorflow);
  }
}
END

guess='1.0078124: javacpp 1.0078125, tensorflow 1.0078125
-1.0078124: javacpp -1.0078125, tensorflow -1.0078125
3.4028235E38: javacpp Infinity, tensorflow Infinity
of 100000 values in [1, 2), rounded up: about half'
known='1.0078124: javacpp 1.0, tensorflow 1.0
-1.0078124: javacpp -1.0, tensorflow -1.0
3.4028235E38: javacpp 3.3895314E38, tensorflow 3.3895314E38
of 100000 values in [1, 2), rounded up: javacpp 0, tensorflow 0'
observe "javacpp 1.5.13, tensorflow ndarray 1.0.0, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
