package org.vramkit.pool.buffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;

/** An array of a primitive type, copied in pieces through a direct buffer. */
record HostArray(String kind, Set<ElementType> types, int length, Mover put, Mover get) {
  /** Bytes of a piece: enough for full speed, with little memory. */
  private static final int PIECE_BYTES = 4 << 20;

  /** Moves elements between the array and a buffer. */
  interface Mover {
    void move(ByteBuffer buffer, int from, int count);
  }

  static HostArray of(byte[] array) {
    return new HostArray(
        "a byte[]",
        EnumSet.of(ElementType.INT8),
        array.length,
        (buffer, from, count) -> buffer.duplicate().put(array, from, count),
        (buffer, from, count) -> buffer.duplicate().get(array, from, count));
  }

  static HostArray of(short[] array) {
    return new HostArray(
        "a short[]",
        EnumSet.of(ElementType.INT16, ElementType.FLOAT16, ElementType.BFLOAT16),
        array.length,
        (buffer, from, count) -> buffer.asShortBuffer().put(array, from, count),
        (buffer, from, count) -> buffer.asShortBuffer().get(array, from, count));
  }

  static HostArray of(int[] array) {
    return new HostArray(
        "an int[]",
        EnumSet.of(ElementType.INT32),
        array.length,
        (buffer, from, count) -> buffer.asIntBuffer().put(array, from, count),
        (buffer, from, count) -> buffer.asIntBuffer().get(array, from, count));
  }

  static HostArray of(long[] array) {
    return new HostArray(
        "a long[]",
        EnumSet.of(ElementType.INT64),
        array.length,
        (buffer, from, count) -> buffer.asLongBuffer().put(array, from, count),
        (buffer, from, count) -> buffer.asLongBuffer().get(array, from, count));
  }

  static HostArray of(float[] array) {
    return new HostArray(
        "a float[]",
        EnumSet.of(ElementType.FLOAT32),
        array.length,
        (buffer, from, count) -> buffer.asFloatBuffer().put(array, from, count),
        (buffer, from, count) -> buffer.asFloatBuffer().get(array, from, count));
  }

  static HostArray of(double[] array) {
    return new HostArray(
        "a double[]",
        EnumSet.of(ElementType.FLOAT64),
        array.length,
        (buffer, from, count) -> buffer.asDoubleBuffer().put(array, from, count),
        (buffer, from, count) -> buffer.asDoubleBuffer().get(array, from, count));
  }

  private int width() {
    return types.iterator().next().getWidth();
  }

  long bytes() {
    return (long) length * width();
  }

  @Override
  public String toString() {
    return kind;
  }

  void requireFits(ElementType type) {
    if (!types.contains(type)) {
      throw new InvalidArgumentException(
          kind
              + " holds "
              + types.stream().map(ElementType::name).collect(Collectors.joining(" or "))
              + ", the buffer holds "
              + type);
    }
  }

  void copyTo(Stream stream, long address) {
    eachPiece(
        (buffer, from, count) -> {
          put.move(buffer, from, count);
          stream.copyToDevice(address + (long) from * width(), buffer);
        });
  }

  void copyFrom(Stream stream, long address) {
    eachPiece(
        (buffer, from, count) -> {
          stream.copyToHost(buffer, address + (long) from * width());
          get.move(buffer, from, count);
        });
  }

  private void eachPiece(Mover visitor) {
    int most = PIECE_BYTES / width();
    int room = Math.min(most, length);
    ByteBuffer buffer = ByteBuffer.allocateDirect(room * width()).order(ByteOrder.nativeOrder());
    for (int from = 0; from < length; from += most) {
      int count = Math.min(most, length - from);
      buffer.clear().limit(count * width());
      visitor.move(buffer, from, count);
    }
  }
}
