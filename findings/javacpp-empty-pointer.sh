#!/usr/bin/env bash
# JavaCPP 1.5.13: a pointer with limit 0 has one element.
#
# A reader sets the limit to the size of the batch, which may be 0, and expects that nothing is cleared, copied or seen.
# zero(), fill(), put(Pointer) and asBuffer() take a limit of 0 as "unknown" and use one element, so an empty batch
# overwrites one element that is not its own. An empty range elsewhere, limit = position > 0, is empty. Test for
# 0 before. The Javadoc of asByteBuffer() mentions the rule.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.bytedeco:javacpp:1.5.13 org.bytedeco:javacpp:1.5.13:linux-x86_64

cat >Probe.java <<'END'
import org.bytedeco.javacpp.FloatPointer;

class Probe {
  public static void main(String[] arguments) {
    try (FloatPointer block = new FloatPointer(7f, 7f, 7f, 7f)) {
      System.out.println("floats in the buffer of limit 0: " + new FloatPointer(block).limit(0).asBuffer().remaining());
      new FloatPointer(block).limit(0).zero();
      System.out.println("element 0 after zero() with limit 0: " + block.get(0));
      new FloatPointer(block).position(2).limit(2).zero();
      System.out.println("element 2 after zero() with position 2 and limit 2: " + block.get(2));
    }
  }
}
END

guess='floats in the buffer of limit 0: 0
element 0 after zero() with limit 0: 7.0
element 2 after zero() with position 2 and limit 2: 7.0'
known='floats in the buffer of limit 0: 1
element 0 after zero() with limit 0: 0.0
element 2 after zero() with position 2 and limit 2: 7.0'
observe "javacpp 1.5.13, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
