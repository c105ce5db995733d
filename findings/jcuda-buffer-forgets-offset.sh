#!/usr/bin/env bash
# JCuda 12.6.0: the buffer of a pointer with a byte offset begins at the start of the memory.
#
# A reader expects withByteOffset(8).getByteBuffer(0, 4) to be the four bytes at 8, to which the pointer points and which
# a copy would take. getByteBuffer() reads the buffer that the pointer holds and leaves out the pointer's own offset. This
# is the way to fill and read page-locked and managed memory, so a slice of a staging buffer reads and overwrites the first
# slice. Pass the whole offset to getByteBuffer() of the pointer without one. Shown with Pointer.to(byte[]); no GPU needed.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.jcuda:jcuda:12.6.0

cat >Probe.java <<'END'
import jcuda.Pointer;

class Probe {
  public static void main(String[] arguments) {
    byte[] memory = new byte[16];
    memory[0] = 1;
    memory[8] = 2;
    Pointer slice = Pointer.to(memory).withByteOffset(8);
    System.out.println("first byte at offset 8: " + slice.getByteBuffer(0, 4).get(0));
    System.out.println("bytes from there on: " + slice.getByteBuffer().capacity());
  }
}
END

guess='first byte at offset 8: 2
bytes from there on: 8'
known='first byte at offset 8: 1
bytes from there on: 16'
observe "jcuda 12.6.0, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
