package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.ManagedMemory;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;

/** Tests managed memory. */
interface ManagedMemoryContract extends KitContext {

  @Test
  @DisplayName("the host and device work see each other's writes to managed memory")
  default void managedRoundTrip() {
    byte[] bytes = DeviceBytes.pattern(50_000, 17);
    try (PinnedBuffer buffer = getManagedMemory().allocate(200_000);
        Stream stream = getDevice().createStream()) {
      buffer.getBytes(100, bytes.length).put(bytes);
      buffer.hostWrites(100, bytes.length);
      long address = buffer.getAddress();
      stream.copy(address + 100_000, address + 100, bytes.length);
      stream.fill(address, (byte) 9, 100);
      stream.synchronize();
      byte[] read = new byte[bytes.length];
      buffer.hostReads(0, buffer.getSize());
      buffer.getBytes(100_000, bytes.length).get(read);
      assertArrayEquals(bytes, read);
      assertEquals(9, buffer.getBytes(99, 1).get());
      assertEquals(bytes[0], buffer.getBytes(100, 1).get());
    }
  }

  @Test
  @DisplayName("the host may use one part of managed memory while work uses another")
  default void managedConcurrently() {
    int half = 1 << 20;
    try (PinnedBuffer buffer = getManagedMemory().allocate(2L * half);
        Stream stream = getDevice().createStream()) {
      ByteBuffer mine = buffer.getBytes(half, half);
      stream.fill(buffer.getAddress(), (byte) 3, half);
      buffer.hostWrites(half, half);
      for (int at = 0; at < half; at++) {
        mine.put(at, (byte) 4);
      }
      stream.synchronize();
      buffer.hostReads(0, half);
      assertEquals(3, buffer.getBytes(half - 1, 1).get());
      assertEquals(4, mine.get(0));
    }
  }

  @Test
  @DisplayName("copies accept managed memory like pinned memory")
  default void managedCopies() {
    byte[] bytes = DeviceBytes.pattern(10_000, 19);
    try (PinnedBuffer source = getManagedMemory().allocate(bytes.length);
        PinnedBuffer target = getManagedMemory().allocate(bytes.length);
        Stream stream = getDevice().createStream()) {
      source.getBytes(0, bytes.length).put(bytes);
      withMemory(
          bytes.length,
          address -> {
            stream.copyToDevice(address, source, 0, bytes.length);
            stream.copyToHost(target, 0, address, bytes.length);
            stream.synchronize();
          });
      byte[] read = new byte[bytes.length];
      target.hostReads(0, bytes.length);
      target.getBytes(0, bytes.length).get(read);
      assertArrayEquals(bytes, read);
    }
  }

  @Test
  @DisplayName(
      "managed memory has the requested size and native order, and cannot be used once closed")
  default void managedErrors() {
    ManagedMemory memory = getManagedMemory();
    assertThrows(InvalidArgumentException.class, () -> memory.allocate(0));
    assertThrows(InvalidArgumentException.class, () -> memory.allocate(-1));
    PinnedBuffer buffer = memory.allocate(300);
    assertEquals(300, buffer.getSize());
    assertTrue(buffer.getAddress() != 0);
    assertEquals(ByteOrder.nativeOrder(), buffer.getBytes(0, 300).order());
    assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(1, 300));
    buffer.close();
    buffer.close();
    assertThrows(ClosedException.class, () -> buffer.getBytes(0, 1));
    assertThrows(ClosedException.class, buffer::getAddress);
  }

  private ManagedMemory getManagedMemory() {
    assumeSupported(Capability.MANAGED_MEMORY);
    return getDevice().getManagedMemory();
  }
}
