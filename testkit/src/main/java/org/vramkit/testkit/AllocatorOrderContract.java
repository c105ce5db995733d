package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/** Tests memory that is reused by another stream. */
interface AllocatorOrderContract extends AllocatorContext {

  @Test
  @DisplayName("R6 a producer and a consumer on two streams pass 100 blocks without growth")
  default void producerAndConsumer() {
    try (Stream producer = getDevice().createStream();
        Stream consumer = getDevice().createStream();
        Event written = getDevice().createEvent()) {
      long settled = 0;
      for (int round = 1; round <= 100; round++) {
        Allocation block = getAllocator().allocate(ByteSize.MIB, producer);
        producer.fill(block.getAddress(), (byte) round, ByteSize.MIB);
        written.record(producer);
        consumer.waitFor(written);
        DeviceBytes.assertFilled(
            consumer, block.getAddress(), ByteSize.MIB, (byte) round, "round " + round);
        block.recordUse(consumer);
        block.close();
        getDevice().synchronize();
        if (round == 2) {
          settled = getAllocator().getStatistics().reserved().peak();
        }
      }
      assertEquals(settled, getAllocator().getStatistics().reserved().peak(), "reserved at peak");
    }
  }

  @Test
  @DisplayName("9 a block is not reused while a recorded stream still reads it")
  default void recordedUseIsWaitedFor() {
    long bytes = 16 * ByteSize.MIB;
    try (Stream owner = getDevice().createStream();
        Stream reader = getDevice().createStream();
        Event written = getDevice().createEvent();
        Allocation copy = getAllocator().allocate(bytes, reader)) {
      for (byte round = 1; round <= 8; round++) {
        Allocation block = getAllocator().allocate(bytes, owner);
        owner.fill(block.getAddress(), round, bytes);
        written.record(owner);
        reader.waitFor(written);
        reader.copy(copy.getAddress(), block.getAddress(), bytes);
        block.recordUse(reader);
        block.close();
        try (Allocation next = getAllocator().allocate(bytes, owner)) {
          owner.fill(next.getAddress(), (byte) -1, bytes);
          DeviceBytes.assertFilled(reader, copy.getAddress(), bytes, round, "round " + round);
        }
      }
    }
  }

  @Test
  @DisplayName("30 recording the allocation's own stream changes nothing")
  default void recordOwnStream() {
    try (Stream stream = getDevice().createStream()) {
      for (int round = 0; round < 10; round++) {
        try (Allocation block = getAllocator().allocate(ByteSize.MIB, stream)) {
          stream.fill(block.getAddress(), (byte) 1, ByteSize.MIB);
          block.recordUse(stream);
        }
      }
      assertEquals(ByteSize.MIB, getAllocator().getStatistics().requested().peak());
    }
  }

  @Test
  @DisplayName("31 a free block of one stream serves another only in order")
  default void blocksChangeStreamsInOrder() {
    long bytes = 32 * ByteSize.MIB;
    try (Stream first = getDevice().createStream();
        Stream second = getDevice().createStream();
        Allocation copy = getAllocator().allocate(bytes, first)) {
      for (byte round = 1; round <= 8; round++) {
        try (Allocation block = getAllocator().allocate(bytes, first)) {
          first.fill(block.getAddress(), round, bytes);
          first.copy(copy.getAddress(), block.getAddress(), bytes);
        }
        try (Allocation other = getAllocator().allocate(bytes, second)) {
          second.fill(other.getAddress(), (byte) -1, bytes);
        }
        DeviceBytes.assertFilled(first, copy.getAddress(), bytes, round, "round " + round);
      }
    }
  }

  @Test
  @DisplayName("R7 memory freed on a stream that was closed later serves another stream")
  default void streamClosesAfterFree() {
    for (int round = 1; round <= 20; round++) {
      try (Stream stream = getDevice().createStream();
          Allocation block = getAllocator().allocate(ByteSize.MIB, stream)) {
        stream.fill(block.getAddress(), (byte) round, ByteSize.MIB);
      }
    }
    try (Stream other = getDevice().createStream();
        Allocation block = getAllocator().allocate(ByteSize.MIB, other)) {
      other.fill(block.getAddress(), (byte) 7, ByteSize.MIB);
      DeviceBytes.assertFilled(other, block.getAddress(), ByteSize.MIB, (byte) 7, "new owner");
    }
  }

  @Test
  @DisplayName("R7 a recorded stream may be closed before the allocation is")
  default void recordedStreamCloses() {
    try (Stream owner = getDevice().createStream();
        Event written = getDevice().createEvent()) {
      for (int round = 1; round <= 20; round++) {
        Allocation block = getAllocator().allocate(ByteSize.MIB, owner);
        owner.fill(block.getAddress(), (byte) round, ByteSize.MIB);
        written.record(owner);
        try (Stream reader = getDevice().createStream()) {
          reader.waitFor(written);
          reader.fill(block.getAddress(), (byte) -round, ByteSize.MIB);
          block.recordUse(reader);
          reader.synchronize();
        }
        block.close();
      }
    }
  }
}
