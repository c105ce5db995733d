package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;

/** Copies and compares device memory; failures name the wrong byte. */
final class DeviceBytes {

  /** Number of bytes compared at each end of a long range. */
  private static final int SAMPLE = 256;

  private DeviceBytes() {}

  /** Runs an action with plain device memory, then waits for the device and frees the memory. */
  static void withMemory(Device device, long bytes, LongConsumer action) {
    long address = device.getMemory().allocate(bytes);
    try {
      action.accept(address);
    } finally {
      device.synchronize();
      device.getMemory().free(address);
    }
  }

  /** Returns bytes that differ from their neighbours and from those of other seeds. */
  static byte[] pattern(int length, int seed) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (31 * i + (i >>> 8) + seed);
    }
    return bytes;
  }

  /** Reads device memory after the earlier work of the stream. */
  static byte[] read(Stream stream, long address, int length) {
    ByteBuffer target = ByteBuffer.allocate(length);
    stream.copyToHost(target, address);
    return target.array();
  }

  /**
   * Asserts that both ends of a range contain {@code value}; reads it in the order of the stream.
   */
  static void assertFilled(Stream stream, long address, long bytes, byte value, String what) {
    int length = (int) Math.min(bytes, SAMPLE);
    assertAll(read(stream, address, length), value, what + ", start");
    assertAll(read(stream, address + bytes - length, length), value, what + ", end");
  }

  private static void assertAll(byte[] bytes, byte value, String what) {
    for (int i = 0; i < bytes.length; i++) {
      int at = i;
      assertEquals(value, bytes[i], () -> what + ", byte " + at);
    }
  }
}
