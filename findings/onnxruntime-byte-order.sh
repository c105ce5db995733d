#!/usr/bin/env bash
# ONNX Runtime 1.22.0 for Java: a tensor over a big-endian direct buffer shows right values and computes with wrong ones.
#
# A reader expects createTensor() to accept a FloatBuffer of any byte order, or to refuse it, since a FloatBuffer hides its
# bytes. ByteBuffer.allocateDirect(...).asFloatBuffer() is big endian; its bytes go to the model as they are, swapped.
# getValue() and getFloatBuffer() of the tensor read the Java buffer, so a check of the input finds nothing wrong. A GPU
# gets the same bytes. Always call order(ByteOrder.nativeOrder()). See microsoft/onnxruntime#26408.
# The model is one node, y = -x, written here byte by byte.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch com.microsoft.onnxruntime:onnxruntime:1.22.0

cat >Probe.java <<'END'
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

class Probe {
  /** A field of a protobuf message: a message, text or number. */
  static byte[] field(int number, byte[] value) {
    return join(new byte[] {(byte) (number << 3 | 2), (byte) value.length}, value);
  }

  static byte[] field(int number, String value) {
    return field(number, value.getBytes(StandardCharsets.US_ASCII));
  }

  static byte[] field(int number, int value) {
    return new byte[] {(byte) (number << 3), (byte) value};
  }

  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      joined.writeBytes(part);
    }
    return joined.toByteArray();
  }

  static byte[] oneFloat(String name) {
    byte[] shape = field(1, field(1, 1));
    return join(field(1, name), field(2, field(1, join(field(1, 1), field(2, shape)))));
  }

  static byte[] negation() {
    byte[] node = join(field(1, "x"), field(2, "y"), field(4, "Neg"));
    byte[] graph = join(field(1, node), field(2, "g"), field(11, oneFloat("x")), field(12, oneFloat("y")));
    return join(field(1, 8), field(7, graph), field(8, field(2, 13)));
  }

  static void run(OrtSession session, String name, FloatBuffer buffer) throws Exception {
    buffer.put(0, 1f);
    try (OnnxTensor x = OnnxTensor.createTensor(OrtEnvironment.getEnvironment(), buffer, new long[] {1});
        OrtSession.Result result = session.run(Map.of("x", x))) {
      float read = ((float[]) x.getValue())[0];
      float computed = ((float[]) result.get(0).getValue())[0];
      System.out.printf("%s: x reads %s, -x is %s%n", name, read, computed);
    }
  }

  public static void main(String[] arguments) throws Exception {
    try (OrtSession session = OrtEnvironment.getEnvironment().createSession(negation())) {
      run(session, "native order", ByteBuffer.allocateDirect(4).order(ByteOrder.nativeOrder()).asFloatBuffer());
      run(session, "order of a new buffer", ByteBuffer.allocateDirect(4).asFloatBuffer());
      run(session, "the same on the heap", ByteBuffer.allocate(4).asFloatBuffer());
    }
  }
}
END

guess='native order: x reads 1.0, -x is -1.0
order of a new buffer: x reads 1.0, -x is -1.0
the same on the heap: x reads 1.0, -x is -1.0'
known='native order: x reads 1.0, -x is -1.0
order of a new buffer: x reads 1.0, -x is -4.6006E-41
the same on the heap: x reads 1.0, -x is -1.0'
observe "onnxruntime 1.22.0, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
