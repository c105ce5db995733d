package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** Tests allocation in stream order from the default pool. */
interface StreamOrderedMemoryContract extends KitContext {

  @Test
  @DisplayName("memory allocated in stream order serves the work that follows on its stream")
  default void streamOrderedRoundTrip() {
    StreamOrderedMemory memory = getStreamOrderedMemory();
    try (Stream stream = getDevice().createStream()) {
      for (byte round = 1; round <= 8; round++) {
        long bytes = 100_000L * round;
        long address = memory.allocate(bytes, stream);
        assertEquals(0, address % DeviceMemoryContract.ALIGNMENT);
        stream.fill(address, round, bytes);
        DeviceBytes.assertFilled(stream, address, bytes, round, "round " + round);
        memory.free(address, stream);
      }
    }
  }

  @Test
  @DisplayName("memory may be freed on another stream that an event orders after its use")
  default void streamOrderedFreeElsewhere() {
    StreamOrderedMemory memory = getStreamOrderedMemory();
    try (Stream producer = getDevice().createStream();
        Stream consumer = getDevice().createStream();
        Event written = getDevice().createEvent()) {
      for (byte round = 1; round <= 100; round++) {
        long address = memory.allocate(ByteSize.MIB, producer);
        producer.fill(address, round, ByteSize.MIB);
        written.record(producer);
        consumer.waitFor(written);
        DeviceBytes.assertFilled(consumer, address, ByteSize.MIB, round, "round " + round);
        memory.free(address, consumer);
      }
    }
  }

  @Test
  @DisplayName("allocation in stream order refuses sizes that are not positive")
  default void streamOrderedSizesArePositive() {
    StreamOrderedMemory memory = getStreamOrderedMemory();
    try (Stream stream = getDevice().createStream()) {
      for (long size : new long[] {0, -1, Long.MIN_VALUE}) {
        assertThrows(
            InvalidArgumentException.class, () -> memory.allocate(size, stream), "size " + size);
      }
    }
  }

  @Test
  @DisplayName("memory can be freed in stream order only once")
  default void streamOrderedFreeOnce() {
    StreamOrderedMemory memory = getStreamOrderedMemory();
    try (Stream stream = getDevice().createStream()) {
      long address = memory.allocate(4096, stream);
      memory.free(address, stream);
      stream.synchronize();
      assertThrows(InvalidArgumentException.class, () -> memory.free(address, stream));
    }
    forgetMisuse();
  }

  @Test
  @DisplayName("plain memory may be freed in stream order, and stream-ordered memory plainly")
  default void streamOrderedAndPlainFrees() {
    StreamOrderedMemory memory = getStreamOrderedMemory();
    try (Stream stream = getDevice().createStream()) {
      long plain = getDevice().getMemory().allocate(ByteSize.MIB);
      stream.fill(plain, (byte) 1, ByteSize.MIB);
      memory.free(plain, stream);
      long ordered = memory.allocate(ByteSize.MIB, stream);
      stream.fill(ordered, (byte) 2, ByteSize.MIB);
      // The driver does not wait before such a free.
      stream.synchronize();
      getDevice().getMemory().free(ordered);
    }
    streamOrderedRoundTrip();
  }

  @Test
  @DisplayName("R9 a petabyte in stream order is out of memory, and the pool stays usable")
  default void streamOrderedOutOfMemory() {
    StreamOrderedMemory memory = getStreamOrderedMemory();
    try (Stream stream = getDevice().createStream()) {
      assertThrows(
          DeviceOutOfMemoryException.class, () -> memory.allocate(1024 * ByteSize.TIB, stream));
    }
    streamOrderedRoundTrip();
  }

  private StreamOrderedMemory getStreamOrderedMemory() {
    assumeSupported(Capability.STREAM_ORDERED_MEMORY);
    return getDevice().getStreamOrderedMemory();
  }
}
