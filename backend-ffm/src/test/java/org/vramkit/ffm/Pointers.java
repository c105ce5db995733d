package org.vramkit.ffm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** Reads and writes memory by pointers. */
final class Pointers {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private Pointers() {}

  static void put(long pointer, long value) {
    ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, pointer, value);
  }

  static void putInt(long pointer, int value) {
    ALL.set(ValueLayout.JAVA_INT_UNALIGNED, pointer, value);
  }

  static long get(long pointer) {
    return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, pointer);
  }

  static int getInt(long pointer) {
    return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, pointer);
  }

  static ByteBuffer bytes(long pointer, long size) {
    return MemorySegment.ofAddress(pointer).reinterpret(size).asByteBuffer();
  }

  static int told(int result, long value, long pointer) {
    put(pointer, value);
    return result;
  }

  static int told(int result, int[] value, long pointer) {
    putInt(pointer, value[0]);
    return result;
  }
}
