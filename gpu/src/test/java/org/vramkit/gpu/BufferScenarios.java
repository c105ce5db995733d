package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;

/** Scenarios of typed buffers. */
interface BufferScenarios {

  Device getDevice();

  @Test
  @DisplayName("17.26 arrays of every primitive type are copied to the device and back")
  default void arraysComeBack() {
    int count = 10_000;
    try (CachingAllocator allocator = CachingAllocator.create(getDevice());
        BufferPool pool = BufferPool.create(allocator);
        Stream stream = getDevice().createStream()) {
      long[] longs = LongStream.range(0, count).map(i -> i * 0x1234_5678_9abcL).toArray();
      long[] longsBack = new long[count];
      try (TypedBuffer buffer = pool.acquire(ElementType.INT64, count, stream)) {
        buffer.copyFrom(longs);
        buffer.copyTo(longsBack);
      }
      assertArrayEquals(longs, longsBack);
      int[] ints = IntStream.range(0, count).map(i -> i * 0x1234_5678).toArray();
      int[] intsBack = new int[count];
      try (TypedBuffer buffer = pool.acquire(ElementType.INT32, count, stream)) {
        buffer.copyFrom(ints);
        buffer.copyTo(intsBack);
      }
      assertArrayEquals(ints, intsBack);
      double[] doubles = LongStream.of(longs).asDoubleStream().toArray();
      double[] doublesBack = new double[count];
      try (TypedBuffer buffer = pool.acquire(ElementType.FLOAT64, count, stream)) {
        buffer.copyFrom(doubles);
        buffer.copyTo(doublesBack);
      }
      assertArrayEquals(doubles, doublesBack);
      float[] floats = new float[count];
      short[] shorts = new short[count];
      byte[] bytes = new byte[count];
      for (int i = 0; i < count; i++) {
        floats[i] = (float) doubles[i];
        shorts[i] = (short) longs[i];
        bytes[i] = (byte) longs[i];
      }
      float[] floatsBack = new float[count];
      short[] shortsBack = new short[count];
      byte[] bytesBack = new byte[count];
      try (TypedBuffer floating = pool.acquire(ElementType.FLOAT32, count, stream);
          TypedBuffer small = pool.acquire(ElementType.INT16, count, stream);
          TypedBuffer smallest = pool.acquire(ElementType.INT8, count, stream)) {
        floating.copyFrom(floats);
        small.copyFrom(shorts);
        smallest.copyFrom(bytes);
        floating.copyTo(floatsBack);
        small.copyTo(shortsBack);
        smallest.copyTo(bytesBack);
      }
      assertArrayEquals(floats, floatsBack);
      assertArrayEquals(shorts, shortsBack);
      assertArrayEquals(bytes, bytesBack);
    }
  }

  @Test
  @DisplayName("17.26 a buffer closed under queued work is reused only after that work")
  default void buffersAreReused() {
    try (CachingAllocator allocator = CachingAllocator.create(getDevice());
        Slots slots = new Slots(getDevice());
        BufferPool pool = BufferPool.create(allocator);
        BusyStreams streams = new BusyStreams(getDevice(), 3)) {
      for (int i = 0; i < Slots.COUNT; i++) {
        Stream stream = streams.next();
        Stream reader = streams.next();
        try (TypedBuffer buffer = pool.acquire(ElementType.INT8, Slots.BYTES, stream);
            Event written = getDevice().createEvent()) {
          stream.fill(buffer.getAddress(), Slots.value(i), Slots.BYTES);
          written.record(stream);
          reader.waitFor(written);
          buffer.recordUse(reader);
          reader.copy(slots.getAddress(i), buffer.getAddress(), Slots.BYTES);
        }
      }
      assertTrue(pool.getStatistics().hits() > 0, "no buffer is used again");
      assertEquals(Slots.COUNT, pool.getStatistics().returns());
      slots.assertFilled();
    }
  }

  @Test
  @DisplayName("17.26 a zeroed buffer contains only zeros, whatever its memory held before")
  default void zeroed() {
    try (CachingAllocator allocator = CachingAllocator.create(getDevice());
        BufferPool pool = BufferPool.create(allocator);
        Stream stream = getDevice().createStream()) {
      for (int i = 0; i < 10; i++) {
        long[] found = new long[5000];
        try (TypedBuffer buffer = pool.acquireZeroed(ElementType.INT64, found.length, stream)) {
          buffer.copyTo(found);
          stream.fill(buffer.getAddress(), (byte) -1, buffer.getSize());
        }
        assertArrayEquals(new long[found.length], found, "round " + i);
      }
    }
  }
}
