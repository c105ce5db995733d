#!/usr/bin/env bash
# JavaCPP 1.5.13: a FloatPointer made from a BytePointer claims four times the memory.
#
# A reader takes `new FloatPointer(bytes)` for a cast that keeps the extent: 64 bytes become 16 floats. The constructor
# copies limit and capacity as numbers, so the view has 64 floats, 256 bytes; `getPointer(FloatPointer.class)` divides.
# Buffers from a GPU allocator are handed on as bytes and wrapped as floats: a copy or a launch that takes its size from
# the view then goes past the block. The Javadoc of Pointer(Pointer) says that it copies these fields.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.bytedeco:javacpp:1.5.13 org.bytedeco:javacpp:1.5.13:linux-x86_64

cat >Probe.java <<'END'
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;

class Probe {
  public static void main(String[] arguments) {
    try (BytePointer bytes = new BytePointer(64L)) {
      FloatPointer constructed = new FloatPointer(bytes);
      FloatPointer cast = bytes.getPointer(FloatPointer.class);
      System.out.printf("new FloatPointer(64 bytes): %d floats, %d bytes%n", constructed.capacity(), constructed.capacity() * 4);
      System.out.printf("getPointer(FloatPointer.class): %d floats%n", cast.capacity());
    }
  }
}
END

guess='new FloatPointer(64 bytes): 16 floats, 64 bytes
getPointer(FloatPointer.class): 16 floats'
known='new FloatPointer(64 bytes): 64 floats, 256 bytes
getPointer(FloatPointer.class): 16 floats'
observe "javacpp 1.5.13, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
