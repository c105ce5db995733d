#!/usr/bin/env bash
# JavaCPP 1.5.13: the size of the Java heap bounds the device memory that pointers own.
#
# A reader expects limits on memory that JavaCPP allocates on the host. Each pointer with a deallocator of its own counts
# with all its bytes, also if they lie on a GPU, against org.bytedeco.javacpp.maxBytes, which is the maximum heap (-Xmx)
# unless set. Beyond that the pointer tries System.gc() ten times, 100 ms apart, then runs the deallocator and throws an
# OutOfMemoryError. A GPU of 80 GB is thus full at the size of the heap; -Dorg.bytedeco.javacpp.maxBytes=0 ends the count.
# The address here is a number that is never read. See the Javadoc of Pointer.maxBytes, and bytedeco/javacpp-presets#800.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.bytedeco:javacpp:1.5.13 org.bytedeco:javacpp:1.5.13:linux-x86_64

cat >Probe.java <<'END'
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;

class Probe {
  static class DeviceBlock extends BytePointer {
    DeviceBlock(long bytes) {
      super((Pointer) null);
      address = 0x10000;
      limit = bytes;
      capacity = bytes;
      deallocator(() -> System.out.println("freed"));
    }
  }

  public static void main(String[] arguments) {
    System.out.println("-- " + arguments[0]);
    System.out.println("limit is the maximum heap: " + (Pointer.maxBytes() == Runtime.getRuntime().maxMemory()));
    long begin = System.nanoTime();
    try {
      new DeviceBlock(2L << 30);
      System.out.println("2 GiB on a device: taken");
    } catch (OutOfMemoryError refused) {
      boolean stalled = System.nanoTime() - begin > 500_000_000L;
      System.out.println("2 GiB on a device: OutOfMemoryError, after more than 0.5 s: " + stalled);
    }
    Runtime.getRuntime().halt(0);
  }
}
END

probe() {
  "$java" -Xmx256m -cp 'lib/*' Probe.java "heap of 256 MiB"
  "$java" -Xmx256m -Dorg.bytedeco.javacpp.maxBytes=0 -cp 'lib/*' Probe.java "and maxBytes=0"
}

guess='-- heap of 256 MiB
limit is the maximum heap: false
2 GiB on a device: taken
-- and maxBytes=0
limit is the maximum heap: false
2 GiB on a device: taken'
known='-- heap of 256 MiB
limit is the maximum heap: true
freed
2 GiB on a device: OutOfMemoryError, after more than 0.5 s: true
-- and maxBytes=0
limit is the maximum heap: false
2 GiB on a device: taken'
observe "javacpp 1.5.13, $(jdk_version)" probe
