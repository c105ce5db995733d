package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;

/** Tests invalid arguments and the close of an allocator. */
interface AllocatorErrorContract extends AllocatorContext {

  @Test
  @DisplayName("S3.1 negative sizes are errors that change nothing")
  default void negativeSize() {
    try (Stream stream = getDevice().createStream()) {
      AllocatorStatistics before = getAllocator().getStatistics();
      for (long size : new long[] {-1, Long.MIN_VALUE}) {
        InvalidArgumentException error =
            assertThrows(
                InvalidArgumentException.class, () -> getAllocator().allocate(size, stream));
        assertTrue(String.valueOf(error.getMessage()).contains("" + size), error.getMessage());
        assertThrows(InvalidArgumentException.class, () -> getAllocator().trim(size));
      }
      assertEquals(before, getAllocator().getStatistics());
    }
  }

  @Test
  @DisplayName("S3.1 a count of elements that overflows is an error that names both factors")
  default void overflow() {
    try (Stream stream = getDevice().createStream()) {
      long count = Long.MAX_VALUE / 8 + 1;
      InvalidArgumentException error =
          assertThrows(
              InvalidArgumentException.class,
              () -> getAllocator().allocate(count, ElementType.FLOAT64, stream));
      String message = String.valueOf(error.getMessage());
      assertTrue(message.contains("" + count) && message.contains("8 bytes"), message);
    }
  }

  @Test
  @DisplayName("a stream of another device is refused for allocations and recorded uses")
  default void streamOfAnotherDevice() {
    try (Stream foreign = getSecondDevice().createStream();
        Stream own = getDevice().createStream();
        Allocation allocation = getAllocator().allocate(4096, own)) {
      assertAll(
          () ->
              assertThrows(
                  InvalidArgumentException.class, () -> getAllocator().allocate(4096, foreign)),
          () ->
              assertThrows(
                  InvalidArgumentException.class, () -> getAllocator().allocate(0, foreign)),
          () -> assertThrows(InvalidArgumentException.class, () -> allocation.recordUse(foreign)));
    }
  }

  @Test
  @DisplayName("17.14 an empty allocation refuses a recorded use by a stream of another device")
  default void emptyAllocationOfAnotherDevice() {
    try (Stream foreign = getSecondDevice().createStream();
        Stream own = getDevice().createStream();
        Allocation empty = getAllocator().allocate(0, own)) {
      assertThrows(InvalidArgumentException.class, () -> empty.recordUse(foreign));
    }
  }

  @Test
  @DisplayName("a closed stream is refused, and the allocator is unchanged")
  default void closedStream() {
    Stream closed = getDevice().createStream();
    closed.close();
    AllocatorStatistics before = getAllocator().getStatistics();
    assertThrows(ClosedException.class, () -> getAllocator().allocate(4096, closed));
    assertEquals(before.allocated(), getAllocator().getStatistics().allocated());
  }

  @Test
  @DisplayName("closing with live allocations names them, and the allocator stays usable")
  default void closeWithLiveAllocations() {
    try (Stream stream = getDevice().createStream()) {
      Allocation first = getAllocator().allocate(1000, stream);
      Allocation second = getAllocator().allocate(2000, stream);
      IllegalStateException error =
          assertThrows(IllegalStateException.class, getAllocator()::close);
      assertTrue(String.valueOf(error.getMessage()).contains("2"), error.getMessage());
      try (Allocation third = getAllocator().allocate(3000, stream)) {
        stream.fill(third.getAddress(), (byte) 1, 3000);
      }
      first.close();
      second.close();
    }
  }

  @Test
  @DisplayName(
      "a closed allocator refuses allocations; closing it twice or trimming it is" + " harmless")
  default void closedAllocator() {
    try (Stream stream = getDevice().createStream()) {
      getAllocator().allocate(1000, stream).close();
      getDevice().synchronize();
      getAllocator().close();
      getAllocator().close();
      assertThrows(ClosedException.class, () -> getAllocator().allocate(1000, stream));
      assertThrows(ClosedException.class, () -> getAllocator().allocate(0, stream));
      assertSame(getDevice(), getAllocator().getDevice());
      getAllocator().trim(0);
      if (!isDecorator()) {
        assertEquals(0, getAllocator().getStatistics().reserved().current());
      }
    }
  }
}
