#!/usr/bin/env bash
# JavaCPP 1.5.13: the buffer of a pointer to 4 GiB ends below 2 GiB, without an error.
#
# A reader knows that a ByteBuffer has at most 2^31 - 1 bytes, expects an error beyond, and expects 2^30 floats to fit a
# FloatBuffer, which counts floats. asBuffer() cuts at 2^31 - 1 bytes, also for floats: about half of the floats are
# missing, and a loop up to limit() fills half of the block. A part that begins at a position beyond is an empty buffer;
# getPointer(begin).limit(count).asBuffer() is right. Page-locked buffers and results of a GPU reach that size easily.
# MemorySegment.asByteBuffer() of the JDK throws instead. The memory here is reserved and never touched.
# See bytedeco/javacpp#557.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.bytedeco:javacpp:1.5.13 org.bytedeco:javacpp:1.5.13:linux-x86_64

cat >Probe.java <<'END'
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;

class Probe {
  public static void main(String[] arguments) {
    Pointer memory = Pointer.malloc(1L << 32);
    FloatPointer floats = new FloatPointer(memory).capacity(1L << 30);
    System.out.println("floats of the pointer: " + floats.capacity());
    System.out.println("floats of its buffer: " + floats.asBuffer().capacity());
    System.out.println("bytes of its buffer: " + floats.asByteBuffer().capacity());
    long half = 1L << 29;
    FloatPointer part = new FloatPointer(floats).position(half).limit(half + 16);
    System.out.println("16 floats from the middle, by position: " + part.asBuffer().remaining());
    FloatPointer moved = floats.getPointer(half);
    System.out.println("16 floats from the middle, by getPointer: " + moved.limit(16).asBuffer().remaining());
    Pointer.free(memory);
  }
}
END

guess='floats of the pointer: 1073741824
floats of its buffer: 1073741824
bytes of its buffer: an exception, since a buffer cannot have 4294967296
16 floats from the middle, by position: 16
16 floats from the middle, by getPointer: 16'
known='floats of the pointer: 1073741824
floats of its buffer: 536870911
bytes of its buffer: 2147483647
16 floats from the middle, by position: 0
16 floats from the middle, by getPointer: 16'
observe "javacpp 1.5.13, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
