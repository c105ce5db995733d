package org.vramkit.pool.buffer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;

@DisplayName("A typed buffer: what it tells, and what is copied")
class TypedBufferTest {
  private final PoolScene scene = new PoolScene(AllocatorKind.NATIVE);
  private final BufferPool pool = scene.closing(BufferPool.create(scene.allocator));

  @AfterEach
  void close() {
    scene.close();
  }

  /** A buffer that holds 1, 2, 3 ... as bytes. */
  private TypedBuffer counting(ElementType type, long count) {
    TypedBuffer buffer = pool.acquire(type, count, scene.s1);
    ByteBuffer bytes = ByteBuffer.allocate((int) buffer.getSize());
    while (bytes.hasRemaining()) {
      bytes.put((byte) (bytes.position() + 1));
    }
    buffer.copyFrom(bytes.flip());
    return buffer;
  }

  private static byte[] bytesOf(TypedBuffer buffer) {
    ByteBuffer bytes = ByteBuffer.allocate((int) buffer.getSize());
    buffer.copyTo(bytes);
    return bytes.array();
  }

  @Test
  @DisplayName("S2 its type, count, bytes and stream are those that were asked for")
  void properties() {
    TypedBuffer buffer = pool.acquire(ElementType.INT16, 300, scene.s1);
    assertEquals(ElementType.INT16, buffer.getType());
    assertEquals(300, buffer.getCount());
    assertEquals(600, buffer.getSize());
    assertSame(scene.s1, buffer.getStream());
    assertFalse(buffer.isClosed());
    assertEquals("buffer of 300 INT16", buffer.toString());
    buffer.close();
    assertTrue(buffer.isClosed());
    assertEquals(300, buffer.getCount());
    assertThrows(ClosedException.class, buffer::getStream);
    assertThrows(ClosedException.class, buffer::getAddress);
  }

  @Test
  @DisplayName(
      "S2 only the remaining bytes of a host buffer are copied or filled, on the heap and off it")
  void restOfBuffer() {
    for (ByteBuffer host : List.of(ByteBuffer.allocate(8), ByteBuffer.allocateDirect(8))) {
      try (TypedBuffer buffer = counting(ElementType.INT8, 4)) {
        host.put(new byte[] {91, 92, 93, 94, 95, 96, 97, 98}).position(2).limit(4);
        buffer.slice(0, 2).copyFrom(host);
        assertArrayEquals(new byte[] {93, 94, 3, 4}, bytesOf(buffer));
        host.clear().position(5).limit(8);
        buffer.copyTo(host);
        byte[] all = new byte[8];
        host.clear().get(all);
        assertArrayEquals(new byte[] {91, 92, 93, 94, 95, 93, 94, 3}, all);
      }
    }
  }

  @Test
  @DisplayName("S2 a host's buffer with nothing left is copied without the driver")
  void emptyRest() {
    try (TypedBuffer buffer = counting(ElementType.INT8, 4)) {
      scene.driverCalls();
      buffer.slice(4, 0).copyFrom(ByteBuffer.allocate(0));
      buffer.copyTo(ByteBuffer.allocate(0));
      assertEquals(0, scene.driverCalls());
      assertArrayEquals(new byte[] {1, 2, 3, 4}, bytesOf(buffer));
    }
  }

  @Test
  @DisplayName("S2 each kind of array goes in byte for byte and comes out so")
  void everyArray() {
    byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8};
    try (TypedBuffer buffer = counting(ElementType.INT8, 8)) {
      buffer.slice(0, 3).copyFrom(new byte[] {9, 8, 7});
      byte[] back = new byte[4];
      buffer.copyTo(back);
      assertArrayEquals(new byte[] {9, 8, 7, 4}, back);
    }
    try (TypedBuffer from = counting(ElementType.INT16, 4);
        TypedBuffer to = pool.acquire(ElementType.BFLOAT16, 4, scene.s1)) {
      short[] array = new short[4];
      from.copyTo(array);
      to.copyFrom(array);
      assertArrayEquals(bytes, bytesOf(to));
    }
    try (TypedBuffer from = counting(ElementType.INT32, 2);
        TypedBuffer to = pool.acquire(ElementType.INT32, 2, scene.s1)) {
      int[] array = new int[2];
      from.copyTo(array);
      to.copyFrom(array);
      assertArrayEquals(bytes, bytesOf(to));
    }
    try (TypedBuffer from = counting(ElementType.INT64, 1);
        TypedBuffer to = pool.acquire(ElementType.INT64, 1, scene.s1)) {
      long[] array = new long[1];
      from.copyTo(array);
      to.copyFrom(array);
      assertArrayEquals(bytes, bytesOf(to));
    }
    try (TypedBuffer from = counting(ElementType.FLOAT32, 2);
        TypedBuffer to = pool.acquire(ElementType.FLOAT32, 2, scene.s1)) {
      float[] array = new float[2];
      from.copyTo(array);
      to.copyFrom(array);
      assertArrayEquals(bytes, bytesOf(to));
    }
    try (TypedBuffer from = counting(ElementType.FLOAT64, 1);
        TypedBuffer to = pool.acquire(ElementType.FLOAT64, 1, scene.s1)) {
      double[] array = new double[1];
      from.copyTo(array);
      to.copyFrom(array);
      assertArrayEquals(bytes, bytesOf(to));
    }
  }

  @Test
  @DisplayName(
      "S2 copies that are larger than the buffer, or of another type, are rejected in both"
          + " directions")
  void refused() {
    try (TypedBuffer buffer = counting(ElementType.INT32, 2)) {
      for (Runnable wrong :
          List.<Runnable>of(
              () -> buffer.copyFrom(ByteBuffer.allocate(9)),
              () -> buffer.copyTo(ByteBuffer.allocate(9)),
              () -> buffer.copyFrom(new int[3]),
              () -> buffer.copyTo(new int[3]),
              () -> buffer.copyFrom(new float[2]),
              () -> buffer.copyTo(new float[2]),
              () -> buffer.copyTo(new short[2]))) {
        assertThrows(InvalidArgumentException.class, wrong::run);
      }
      assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, bytesOf(buffer));
    }
  }

  @Test
  @DisplayName("S2 after close nothing is copied")
  void closed() {
    TypedBuffer buffer = counting(ElementType.INT8, 4);
    buffer.close();
    for (Runnable copy :
        List.<Runnable>of(
            () -> buffer.copyFrom(ByteBuffer.allocate(4)),
            () -> buffer.copyTo(ByteBuffer.allocate(4)),
            () -> buffer.copyFrom(new byte[4]),
            () -> buffer.copyTo(new byte[4]))) {
      assertThrows(ClosedException.class, copy::run);
    }
  }

  @Test
  @DisplayName("S2 a buffer without elements is never kept: it has nothing that could serve")
  void empty() {
    pool.acquire(ElementType.INT8, 0, scene.s1).close();
    try (TypedBuffer buffer = pool.acquireZeroed(ElementType.INT8, 0, scene.s1)) {
      assertEquals(0, buffer.getAddress());
      assertEquals(0, pool.getStatistics().hits());
    }
    assertEquals(2, pool.getStatistics().returns());
    assertEquals(0, pool.getCachedBytes(0));
  }
}
