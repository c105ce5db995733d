package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.vramkit.api.device.Device;

/** Device memory in slots, each filled with a value that identifies its owner. */
final class Slots implements AutoCloseable {
  static final int COUNT = 120;
  static final int BYTES = 1 << 18;

  private final Device device;
  private final long memory;

  Slots(Device device) {
    this.device = device;
    this.memory = device.getMemory().allocate((long) COUNT * BYTES);
  }

  long getAddress(int slot) {
    return memory + (long) slot * BYTES;
  }

  static byte value(int slot) {
    return (byte) (slot + 1);
  }

  /** Waits for the device and checks that each slot contains only its own value. */
  void assertFilled() {
    device.synchronize();
    byte[] expected = new byte[BYTES];
    for (int slot = 0; slot < COUNT; slot++) {
      ByteBuffer found = ByteBuffer.allocate(BYTES);
      device.getDefaultStream().copyToHost(found, getAddress(slot));
      Arrays.fill(expected, value(slot));
      assertArrayEquals(expected, found.array(), "slot " + slot);
    }
  }

  @Override
  public void close() {
    device.synchronize();
    device.getMemory().free(memory);
  }
}
