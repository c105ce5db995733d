#!/usr/bin/env bash
# JDK 25: memory of an Arena is in no buffer pool, and no limit on direct memory holds it.
#
# A reader expects Arena.allocate() to count like ByteBuffer.allocateDirect(): against -XX:MaxDirectMemorySize, and in the
# buffer pools of JMX, which Micrometer shows as jvm.buffer.memory.used. It does neither, nor does its view as a ByteBuffer.
# A program that moves its staging buffers from allocateDirect() to arenas loses the limit and the figure, and meets
# the limit of its container. -XX:NativeMemoryTracking=summary shows the bytes under "Other".
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk_25

cat >Probe.java <<'END'
import java.lang.foreign.Arena;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

class Probe {
  private static final int SIZE = 256 << 20;

  static long pools() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum()
        >> 20;
  }

  public static void main(String[] arguments) {
    try {
      ByteBuffer.allocateDirect(SIZE);
      System.out.println("buffer of 256 MiB: taken");
    } catch (OutOfMemoryError refused) {
      System.out.println("buffer of 256 MiB: refused");
    }
    try (Arena arena = Arena.ofConfined()) {
      ByteBuffer buffer = arena.allocate(SIZE).asByteBuffer();
      System.out.printf("arena of 256 MiB: taken, direct %s, MiB in pools %d%n", buffer.isDirect(), pools());
    } catch (OutOfMemoryError refused) {
      System.out.println("arena of 256 MiB: refused");
    }
  }
}
END

guess='buffer of 256 MiB: refused
arena of 256 MiB: refused'
known='buffer of 256 MiB: refused
arena of 256 MiB: taken, direct true, MiB in pools 0'
observe "$(jdk_version)" "$java" -XX:MaxDirectMemorySize=64m Probe.java
