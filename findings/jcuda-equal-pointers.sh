#!/usr/bin/env bash
# JCuda 12.6.0: pointers to any two arrays are equal, and so are device pointers into one block.
#
# A reader keys a map by Pointer, or asks whether a buffer is already among the arguments. equals() compares the native
# address, which is 0 for Java arrays and buffers, and not the byte offset. Two arrays thus collide as keys, and so do
# two slices of a device block that withByteOffset() made. Use the array, or the address and the offset, as key.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.jcuda:jcuda:12.6.0

cat >Probe.java <<'END'
import java.util.HashMap;
import java.util.Map;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;

class Probe {
  public static void main(String[] arguments) {
    Map<Pointer, String> names = new HashMap<>();
    names.put(Pointer.to(new float[] {1}), "weights");
    names.put(Pointer.to(new int[] {2, 3}), "indices");
    System.out.println("two arrays as keys: " + names.size() + " entries");
    CUdeviceptr block = new CUdeviceptr();
    System.out.println("a block and its slice at byte 256: equal: " + block.equals(block.withByteOffset(256)));
  }
}
END

guess='two arrays as keys: 2 entries
a block and its slice at byte 256: equal: false'
known='two arrays as keys: 1 entries
a block and its slice at byte 256: equal: true'
observe "jcuda 12.6.0, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
