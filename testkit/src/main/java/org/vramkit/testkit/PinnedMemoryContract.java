package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
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
import org.vramkit.api.device.CopyBatch;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;

/** Tests page-locked host memory. */
interface PinnedMemoryContract extends KitContext {

  @Test
  @DisplayName("bytes are copied from pinned memory to the device and back in stream order")
  default void pinnedRoundTrip() {
    byte[] bytes = DeviceBytes.pattern(50_000, 11);
    try (PinnedBuffer source = getPinnedMemory().allocate(60_000);
        PinnedBuffer target = getPinnedMemory().allocate(60_000);
        Stream stream = getDevice().createStream()) {
      source.getBytes(100, bytes.length).put(bytes);
      withMemory(
          bytes.length,
          address -> {
            stream.copyToDevice(address, source, 100, bytes.length);
            stream.copyToHost(target, 200, address, bytes.length);
            stream.copyToDevice(address, source, 0, 0);
            stream.synchronize();
          });
      byte[] read = new byte[bytes.length];
      target.getBytes(200, bytes.length).get(read);
      assertArrayEquals(bytes, read);
    }
  }

  @Test
  @DisplayName("a batch copies all its ranges, also on the default stream, behind earlier work")
  default void pinnedBatches() {
    int count = 40;
    int size = 1000;
    byte[] bytes = DeviceBytes.pattern(count * size, 13);
    try (PinnedBuffer source = getPinnedMemory().allocate(bytes.length);
        PinnedBuffer target = getPinnedMemory().allocate(bytes.length);
        Stream own = getDevice().createStream()) {
      source.getBytes(0, bytes.length).put(bytes);
      for (Stream stream : List.of(own, getDevice().getDefaultStream())) {
        withMemory(
            2L * bytes.length,
            address -> {
              stream.fill(address, (byte) 0, 2L * bytes.length);
              CopyBatch back = CopyBatch.toDevice();
              CopyBatch out = CopyBatch.toHost();
              for (int i = 0; i < count; i++) {
                // With gaps, in another order and with neighbours.
                int at = i * 7 % count;
                back.add((long) at * size, address + 2L * at * size, size);
                out.add((long) at * size, address + 2L * at * size, size / 2);
                out.add((long) at * size + size / 2, address + 2L * at * size + size / 2, size / 2);
              }
              assertEquals(count, out.getCount());
              stream.copyAll(back, source);
              stream.copyAll(out, target);
              stream.copyAll(CopyBatch.toHost(), target);
              stream.synchronize();
            });
        byte[] read = new byte[bytes.length];
        target.getBytes(0, bytes.length).get(read);
        assertArrayEquals(bytes, read);
        target.getBytes(0, bytes.length).put(new byte[bytes.length]);
      }
    }
  }

  @Test
  @DisplayName("a batch that leaves its buffer is refused, and a negative length at once")
  default void pinnedBatchesStayInside() {
    try (PinnedBuffer buffer = getPinnedMemory().allocate(4096);
        Stream stream = getDevice().createStream()) {
      withMemory(
          8192,
          address -> {
            stream.fill(address, (byte) 0, 8192);
            CopyBatch batch = CopyBatch.toHost();
            batch.add(0, address, 100);
            batch.add(4000, address + 200, 100);
            assertThrows(InvalidArgumentException.class, () -> stream.copyAll(batch, buffer));
            assertThrows(InvalidArgumentException.class, () -> batch.add(0, address, -1));
            stream.synchronize();
          });
    }
  }

  @Test
  @DisplayName("a view of pinned memory is in native order and inside the buffer")
  default void pinnedViews() {
    try (PinnedBuffer buffer = getPinnedMemory().allocate(4096)) {
      ByteBuffer view = buffer.getBytes(96, 4000);
      assertAll(
          () -> assertEquals(4096, buffer.getSize()),
          () -> assertTrue(buffer.getAddress() != 0),
          () -> assertEquals(ByteOrder.nativeOrder(), view.order()),
          () -> assertEquals(4000, view.remaining()),
          () -> assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(97, 4000)),
          () -> assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(-1, 1)),
          () -> assertThrows(InvalidArgumentException.class, () -> buffer.getBytes(0, -1)),
          () ->
              assertThrows(
                  InvalidArgumentException.class, () -> buffer.getBytes(Long.MAX_VALUE, 1)));
    }
  }

  @Test
  @DisplayName("copies stay inside a pinned buffer")
  default void pinnedCopiesStayInside() {
    try (PinnedBuffer buffer = getPinnedMemory().allocate(4096);
        Stream stream = getDevice().createStream()) {
      withMemory(
          8192,
          address ->
              assertAll(
                  () ->
                      assertThrows(
                          InvalidArgumentException.class,
                          () -> stream.copyToDevice(address, buffer, 1, 4096)),
                  () ->
                      assertThrows(
                          InvalidArgumentException.class,
                          () -> stream.copyToHost(buffer, 4096, address, 1)),
                  () ->
                      assertThrows(
                          InvalidArgumentException.class,
                          () -> stream.copyToHost(buffer, 0, address, -1))));
    }
  }

  @Test
  @DisplayName("pinned memory refuses sizes of 0 or less, and cannot be used once closed")
  default void pinnedErrors() {
    PinnedMemory memory = getPinnedMemory();
    assertThrows(InvalidArgumentException.class, () -> memory.allocate(0));
    assertThrows(InvalidArgumentException.class, () -> memory.allocate(-1));
    PinnedBuffer buffer = memory.allocate(256);
    buffer.close();
    buffer.close();
    assertThrows(ClosedException.class, () -> buffer.getBytes(0, 1));
    try (Stream stream = getDevice().createStream()) {
      withMemory(
          256,
          address ->
              assertThrows(
                  ClosedException.class, () -> stream.copyToDevice(address, buffer, 0, 256)));
    }
  }

  private PinnedMemory getPinnedMemory() {
    assumeSupported(Capability.PINNED_HOST_MEMORY);
    return getDevice().getPinnedMemory();
  }
}
