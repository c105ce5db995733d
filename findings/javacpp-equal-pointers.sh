#!/usr/bin/env bash
# JavaCPP 1.5.13: pointers to one address differ, and pointers to different addresses are equal.
#
# A reader takes equals() for "the same address". It compares the base address and the position as numbers, where the
# position counts elements of the class: the second float as position 1 of a block differs from the same float by
# getPointer(1), while a Pointer at position 4 (byte 4) equals a FloatPointer at position 4 (byte 16). address() does
# not help, since it is the base. A table of device buffers keyed by pointers misses blocks, or finds wrong ones: use
# address() + position() * sizeof(). Also, a null pointer equals(null).
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.bytedeco:javacpp:1.5.13 org.bytedeco:javacpp:1.5.13:linux-x86_64

cat >Probe.java <<'END'
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;

class Probe {
  static long offset(Pointer pointer, Pointer base) {
    return pointer.address() + pointer.position() * pointer.sizeof() - base.address();
  }

  static void compare(Pointer one, Pointer other, Pointer base) {
    System.out.printf("bytes %d and %d: equal: %s%n", offset(one, base), offset(other, base), one.equals(other));
  }

  public static void main(String[] arguments) {
    try (FloatPointer block = new FloatPointer(8L)) {
      compare(new FloatPointer(block).position(1), block.getPointer(1), block);
      compare(new Pointer(block).position(4), new FloatPointer(block).position(4), block);
    }
    System.out.println("null pointer equals(null): " + new Pointer().equals(null));
  }
}
END

guess='bytes 4 and 4: equal: true
bytes 4 and 16: equal: false
null pointer equals(null): false'
known='bytes 4 and 4: equal: false
bytes 4 and 16: equal: true
null pointer equals(null): true'
observe "javacpp 1.5.13, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
