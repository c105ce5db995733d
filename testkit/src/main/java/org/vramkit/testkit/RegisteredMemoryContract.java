package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;

/** Tests the registration of the user's host memory. */
interface RegisteredMemoryContract extends KitContext {
  /** Returns a buffer that shares no page with others, because a driver locks whole pages. */
  private static ByteBuffer pages(int bytes) {
    int page = 1 << 16;
    return ByteBuffer.allocateDirect(bytes + 2 * page).alignedSlice(page).limit(bytes);
  }

  @Test
  @DisplayName("registered memory is copied from position to limit in stream order")
  default void registeredRoundTrip() {
    byte[] bytes = DeviceBytes.pattern(50_000, 13);
    ByteBuffer source = pages(60_000).put(100, bytes).position(100).limit(50_100);
    ByteBuffer target = pages(60_000).position(200);
    try (PinnedBuffer from = getMemory().register(source);
        PinnedBuffer to = getMemory().register(target);
        Stream stream = getDevice().createStream()) {
      assertEquals(bytes.length, from.getSize());
      assertEquals(59_800, to.getSize());
      withMemory(
          bytes.length,
          address -> {
            stream.copyToDevice(address, from, 0, bytes.length);
            stream.copyToHost(to, 300, address, bytes.length);
            stream.synchronize();
          });
    }
    byte[] read = new byte[bytes.length];
    target.get(500, read);
    assertArrayEquals(bytes, read);
    assertEquals(100, source.position());
    assertEquals(200, target.position());
  }

  @Test
  @DisplayName("views of registered memory share its bytes, in native order and within its range")
  default void registeredViews() {
    ByteBuffer own = pages(8192).position(96).limit(4096);
    try (PinnedBuffer buffer = getMemory().register(own)) {
      assertTrue(buffer.getAddress() != 0);
      ByteBuffer view = buffer.getBytes(4, 3996);
      assertEquals(ByteOrder.nativeOrder(), view.order());
      assertEquals(3996, view.remaining());
      view.put(0, (byte) 7);
      assertEquals(7, own.get(100));
      own.put(101, (byte) 8);
      assertEquals(8, view.get(1));
      assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(5, 3996));
      assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(-1, 1));
    }
  }

  @Test
  @DisplayName(
      "heap, read-only or empty buffers are refused, and so is memory that is already" + " locked")
  default void registeredErrors() {
    PinnedMemory memory = getMemory();
    ByteBuffer own = pages(8192);
    for (ByteBuffer wrong :
        List.of(ByteBuffer.allocate(4096), own.asReadOnlyBuffer(), own.slice().limit(0))) {
      assertThrows(InvalidArgumentException.class, () -> memory.register(wrong), wrong::toString);
    }
    try (PinnedBuffer buffer = memory.register(own)) {
      assertEquals(8192, buffer.getSize());
      for (ByteBuffer again : List.of(own, own.duplicate().position(4096), own.slice(0, 4096))) {
        assertThrows(InvalidArgumentException.class, () -> memory.register(again));
      }
      ByteBuffer view = buffer.getBytes(0, 4096);
      assertThrows(InvalidArgumentException.class, () -> memory.register(view));
    }
  }

  @Test
  @DisplayName(
      "unlocked memory keeps its bytes and can be locked again; its closed handle cannot"
          + " be used")
  default void registeredAgain() {
    ByteBuffer own = pages(4096).put(17, (byte) 5);
    PinnedBuffer buffer = getMemory().register(own);
    buffer.close();
    buffer.close();
    assertThrows(ClosedException.class, () -> buffer.getBytes(0, 1));
    assertThrows(ClosedException.class, buffer::getAddress);
    assertEquals(5, own.get(17));
    try (PinnedBuffer again = getMemory().register(own);
        Stream stream = getDevice().createStream()) {
      assertEquals(5, again.getBytes(17, 1).get());
      withMemory(
          4096,
          address -> {
            assertThrows(
                ClosedException.class, () -> stream.copyToDevice(address, buffer, 0, 4096));
            stream.copyToDevice(address, again, 0, 4096);
            assertEquals(5, DeviceBytes.read(stream, address, 4096)[17]);
          });
    }
  }

  private PinnedMemory getMemory() {
    assumeSupported(Capability.PINNED_HOST_MEMORY);
    return getDevice().getPinnedMemory();
  }
}
