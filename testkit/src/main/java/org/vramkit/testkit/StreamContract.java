package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;

/** Tests the life cycle, copies, fills and errors of a stream. */
interface StreamContract extends KitContext {

  @Test
  @DisplayName("streams of every kind are created, differ, and start idle")
  default void streamsAreCreated() {
    for (StreamKind kind : StreamKind.values()) {
      try (Stream stream = getDevice().createStream(kind);
          Stream other = getDevice().createStream(kind)) {
        assertFalse(stream.isDefault());
        assertNotEquals(stream, other);
        assertNotEquals(stream.getHandle(), other.getHandle());
        assertTrue(stream.isIdle(), "a new stream has no work");
      }
    }
  }

  @Test
  @DisplayName("bytes are copied to the device and back, from heap, direct and partial buffers")
  default void bytesRoundTrip() {
    byte[] bytes = DeviceBytes.pattern(100_003, 7);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    ByteBuffer partial = ByteBuffer.allocate(bytes.length + 20).position(10).put(bytes);
    partial.limit(partial.position()).position(10);
    for (ByteBuffer source : new ByteBuffer[] {ByteBuffer.wrap(bytes), direct, partial}) {
      withMemory(
          bytes.length,
          (stream, address) -> {
            int position = source.position();
            stream.copyToDevice(address, source);
            assertEquals(position, source.position(), "the position of the source");
            ByteBuffer target = ByteBuffer.allocateDirect(bytes.length + 8).position(8);
            stream.copyToHost(target, address);
            assertEquals(8, target.position(), "the position of the target");
            byte[] read = new byte[bytes.length];
            target.get(read);
            assertArrayEquals(bytes, read);
          });
    }
  }

  @Test
  @DisplayName("the source of a pageable copy may be reused at once")
  default void pageableSourceIsStaged() {
    byte[] bytes = DeviceBytes.pattern(65_536, 3);
    byte[] source = bytes.clone();
    withMemory(
        bytes.length,
        (stream, address) -> {
          stream.copyToDevice(address, ByteBuffer.wrap(source));
          Arrays.fill(source, (byte) 0);
          assertArrayEquals(bytes, DeviceBytes.read(stream, address, bytes.length));
        });
  }

  @Test
  @DisplayName("work on one stream runs in the order it was submitted")
  default void oneStreamIsOrdered() {
    withMemory(
        3 * 4096,
        (stream, address) -> {
          stream.fill(address, (byte) 1, 2 * 4096);
          stream.fill(address + 1000, (byte) 2, 3000);
          stream.copy(address + 4096, address, 4096);
          stream.fill(address, (byte) 3, 4096);
          byte[] bytes = DeviceBytes.read(stream, address, 2 * 4096);
          assertAll(
              () -> assertEquals(3, bytes[1000]),
              () -> assertEquals(1, bytes[4096 + 999]),
              () -> assertEquals(2, bytes[4096 + 1000]),
              () -> assertEquals(2, bytes[4096 + 3999]),
              () -> assertEquals(1, bytes[4096 + 4000]));
        });
  }

  @Test
  @DisplayName("empty fills and copies have no effect; negative sizes are errors")
  default void emptyAndNegativeRanges() {
    withMemory(
        4096,
        (stream, address) -> {
          stream.fill(address, (byte) 5, 4096);
          stream.fill(address, (byte) 9, 0);
          stream.copy(address, address + 64, 0);
          stream.copyToDevice(address, ByteBuffer.allocate(0));
          stream.copyToHost(ByteBuffer.allocate(0), address);
          assertThrows(InvalidArgumentException.class, () -> stream.fill(address, (byte) 9, -1));
          assertThrows(
              InvalidArgumentException.class, () -> stream.copy(address, address + 64, -1));
          DeviceBytes.assertFilled(stream, address, 4096, (byte) 5, "untouched bytes");
        });
  }

  @Test
  @DisplayName("a closed stream refuses work, and its earlier work still completes")
  default void closedStream() {
    withMemory(
        4096,
        address -> {
          Stream stream = getDevice().createStream();
          stream.fill(address, (byte) 6, 4096);
          assertFalse(stream.isClosed());
          stream.close();
          stream.close();
          assertTrue(stream.isClosed());
          try (Event event = getDevice().createEvent();
              Stream other = getDevice().createStream()) {
            assertAll(
                () -> assertThrows(ClosedException.class, () -> stream.fill(address, (byte) 1, 1)),
                () -> assertThrows(ClosedException.class, () -> stream.copy(address, address, 1)),
                () ->
                    assertThrows(
                        ClosedException.class,
                        () -> stream.copyToDevice(address, ByteBuffer.allocate(1))),
                () ->
                    assertThrows(
                        ClosedException.class,
                        () -> stream.copyToHost(ByteBuffer.allocate(1), address)),
                () -> assertThrows(ClosedException.class, () -> stream.waitFor(event)),
                () -> assertThrows(ClosedException.class, () -> event.record(stream)));
            getDevice().synchronize();
            DeviceBytes.assertFilled(other, address, 4096, (byte) 6, "work before close");
          }
        });
  }
}
