#!/usr/bin/env bash
# JavaCPP 1.5.13: a FloatPointer over a direct FloatBuffer counts the buffer's position in bytes.
#
# A reader expects the pointer to begin where the buffer does: at its position, or at element 0. Over a FloatBuffer at
# position 4 it points to byte 4, which is element 1; at position 1 it points into the middle of a float. Its address is
# before the buffer. Int, long and double buffers are shifted alike; bytes, buffers on the heap, and buffer.slice() are
# right. FloatIndexer.create(buffer) begins at element 0. A batch cut by position() from a page-locked staging buffer is
# thus uploaded from the wrong place, with the right count and no error. 1.5.14 does the same.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.bytedeco:javacpp:1.5.13 org.bytedeco:javacpp:1.5.13:linux-x86_64

cat >Probe.java <<'END'
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.indexer.FloatIndexer;

class Probe {
  static ByteBuffer memory() {
    return ByteBuffer.allocateDirect(128).order(ByteOrder.nativeOrder());
  }

  public static void main(String[] arguments) {
    FloatBuffer floats = memory().asFloatBuffer();
    LongBuffer longs = memory().asLongBuffer();
    ByteBuffer bytes = memory();
    for (int i = 0; i < 16; i++) {
      floats.put(i, i);
      longs.put(i, i);
      bytes.put(i, (byte) i);
    }
    System.out.println("bytes at position 8: element " + new BytePointer(bytes.position(8)).get());
    System.out.println("floats at position 8: element " + (int) new FloatPointer(floats.position(8)).get());
    System.out.println("longs at position 8: element " + new LongPointer(longs.position(8)).get());
    System.out.println("floats, sliced there: element " + (int) new FloatPointer(floats.slice()).get());
    System.out.println("indexer of the floats: element " + (int) FloatIndexer.create(floats).get(0));
  }
}
END

guess='bytes at position 8: element 8
floats at position 8: element 8
longs at position 8: element 8
floats, sliced there: element 8
indexer of the floats: element 8'
known='bytes at position 8: element 8
floats at position 8: element 2
longs at position 8: element 1
floats, sliced there: element 8
indexer of the floats: element 0'
observe "javacpp 1.5.13, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
