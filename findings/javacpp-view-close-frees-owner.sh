#!/usr/bin/env bash
# JavaCPP 1.5.13: closing a view of a pointer frees the memory of the pointer that owns it.
#
# A reader closes each pointer that the code makes, in try-with-resources, also one over a block of another owner. A view
# does not count as a reference of its own, so its close() runs the owner's deallocator; the owner then has address 0.
# Leaving a PointerScope in which the view was made does not. With a deallocator that returns memory to a GPU, or to a
# pool, the block is free while its owner is still in use. Here the deallocator only says that it ran.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.bytedeco:javacpp:1.5.13 org.bytedeco:javacpp:1.5.13:linux-x86_64

cat >Probe.java <<'END'
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;

class Probe {
  static class Block extends BytePointer {
    Block(String name) {
      super((Pointer) null);
      address = 0x10000;
      limit = 64;
      capacity = 64;
      deallocator(() -> System.out.println(name + ": freed"));
    }
  }

  public static void main(String[] arguments) {
    Block closed = new Block("view closed");
    try (FloatPointer view = closed.getPointer(FloatPointer.class)) {}
    System.out.println("view closed: owner is null: " + closed.isNull());

    Block scoped = new Block("scope of the view left");
    try (PointerScope scope = new PointerScope()) {
      scoped.getPointer(FloatPointer.class);
    }
    System.out.println("scope of the view left: owner is null: " + scoped.isNull());
    Runtime.getRuntime().halt(0);
  }
}
END

guess='view closed: owner is null: false
scope of the view left: owner is null: false'
known='view closed: freed
view closed: owner is null: true
scope of the view left: owner is null: false'
observe "javacpp 1.5.13, $(jdk_version)" "$java" -cp 'lib/*' Probe.java
