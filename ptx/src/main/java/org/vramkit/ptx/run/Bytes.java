package org.vramkit.ptx.run;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers of 1, 2, 4 or 8 bytes in arrays, in the byte order of the device. */
public final class Bytes {
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Bytes() {}

  public static long read(byte[] bytes, int at, int width) {
    return switch (width) {
      case 1 -> bytes[at] & 0xff;
      case 2 -> (short) SHORTS.get(bytes, at) & 0xffff;
      case 4 -> (int) INTS.get(bytes, at) & 0xffffffffL;
      default -> (long) LONGS.get(bytes, at);
    };
  }

  public static void write(byte[] bytes, int at, int width, long value) {
    switch (width) {
      case 1 -> bytes[at] = (byte) value;
      case 2 -> SHORTS.set(bytes, at, (short) value);
      case 4 -> INTS.set(bytes, at, (int) value);
      default -> LONGS.set(bytes, at, value);
    }
  }
}
