package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.units.ByteSize;

/** Tests the life cycle of an allocation. */
interface AllocationContract extends AllocatorContext {

  @Test
  @DisplayName("R1 addresses are aligned to 256 bytes and live blocks never overlap")
  default void blocksAreAlignedAndApart() {
    long[] sizes = {1, 255, 511, 512, 513, 4096, 100_001, ByteSize.MIB, 3 * ByteSize.MIB + 1};
    TreeMap<Long, Allocation> live = new TreeMap<>();
    try (Stream stream = getDevice().createStream()) {
      for (long size : sizes) {
        for (int i = 0; i < 3; i++) {
          Allocation allocation = getAllocator().allocate(size, stream);
          assertEquals(size, allocation.getSize());
          assertSame(stream, allocation.getStream());
          live.put(allocation.getAddress(), allocation);
        }
      }
      assertEquals(3 * sizes.length, live.size(), "distinct addresses");
      long end = 0;
      for (Allocation allocation : live.values()) {
        assertEquals(0, allocation.getAddress() % 256, "alignment");
        assertTrue(allocation.getAddress() >= end, "overlap");
        end = allocation.getAddress() + allocation.getSize();
      }
      live.values().forEach(Allocation::close);
    }
  }

  @Test
  @DisplayName("4 an empty allocation has address 0 and changes no counter")
  default void emptyAllocation() {
    try (Stream stream = getDevice().createStream()) {
      AllocatorStatistics before = getAllocator().getStatistics();
      Allocation empty = getAllocator().allocate(0, stream);
      assertEquals(0, empty.getAddress());
      assertEquals(0, empty.getSize());
      assertSame(stream, empty.getStream());
      empty.recordUse(stream);
      assertEquals(before, getAllocator().getStatistics());
      assertFalse(empty.isClosed());
      empty.close();
      empty.close();
      assertTrue(empty.isClosed());
      assertEquals(before, getAllocator().getStatistics());
    }
  }

  @Test
  @DisplayName("S4.9 typed helpers zero and copy, and a buffer of any type may be empty")
  default void typedHelpers() {
    byte[] bytes = DeviceBytes.pattern(4000, 5);
    try (Stream stream = getDevice().createStream();
        Allocation zeroed = getAllocator().allocateZeroed(1001, ElementType.FLOAT32, stream);
        Allocation copied = getAllocator().allocateCopy(ByteBuffer.wrap(bytes), stream);
        Allocation none = getAllocator().allocateZeroed(0, ElementType.INT8, stream)) {
      assertEquals(4004, zeroed.getSize());
      DeviceBytes.assertFilled(stream, zeroed.getAddress(), 4004, (byte) 0, "zeroed");
      assertArrayEquals(bytes, DeviceBytes.read(stream, copied.getAddress(), bytes.length));
      assertEquals(0, none.getAddress());
    }
  }

  @Test
  @DisplayName("the default stream is used when none is given")
  default void defaultStreamIsUsed() {
    try (Allocation allocation = getAllocator().allocate(1000)) {
      assertEquals(getDevice().getDefaultStream(), allocation.getStream());
    }
  }

  @Test
  @DisplayName("closing twice is harmless, also if the block has a new owner")
  default void closeTwice() {
    try (Stream stream = getDevice().createStream()) {
      Allocation first = getAllocator().allocate(4096, stream);
      first.close();
      try (Allocation second = getAllocator().allocate(4096, stream)) {
        stream.fill(second.getAddress(), (byte) 2, 4096);
        first.close();
        try (Allocation third = getAllocator().allocate(4096, stream)) {
          stream.fill(third.getAddress(), (byte) 3, 4096);
          DeviceBytes.assertFilled(stream, second.getAddress(), 4096, (byte) 2, "second owner");
        }
      }
      assertEquals(0, getAllocator().getStatistics().allocations().current());
    }
  }

  @Test
  @DisplayName("a closed allocation cannot be used, even if its bytes have another owner")
  default void useAfterClose() {
    try (Stream stream = getDevice().createStream()) {
      Allocation closed = getAllocator().allocate(4096, stream);
      closed.close();
      try (Allocation owner = getAllocator().allocate(4096, stream)) {
        assertAll(
            () -> assertTrue(closed.isClosed()),
            () -> assertFalse(owner.isClosed()),
            () -> assertThrows(ClosedException.class, closed::getAddress),
            () -> assertThrows(ClosedException.class, closed::getStream),
            () -> assertThrows(ClosedException.class, () -> closed.recordUse(stream)));
      }
    }
  }

  @Test
  @DisplayName("two threads that close one allocation at once free it once")
  default void closeFromTwoThreads() throws Exception {
    int threads = 2;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    CyclicBarrier start = new CyclicBarrier(threads);
    try (Stream stream = getDevice().createStream()) {
      for (int round = 0; round < 200; round++) {
        Allocation shared = getAllocator().allocate(4096, stream);
        List<Future<?>> closing = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
          closing.add(
              executor.submit(
                  () -> {
                    start.await();
                    shared.close();
                    return null;
                  }));
        }
        for (Future<?> each : closing) {
          each.get();
        }
        AllocatorStatistics statistics = getAllocator().getStatistics();
        assertEquals(0, statistics.allocations().current(), "round " + round);
        assertEquals(round + 1, statistics.allocations().removed(), "round " + round);
      }
    } finally {
      executor.shutdown();
    }
  }
}
