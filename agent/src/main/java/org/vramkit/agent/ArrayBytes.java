package org.vramkit.agent;

import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;

/** The bytes of an array of numbers. */
record ArrayBytes(Object array) implements HostMemory {

  @Override
  public long size() {
    return (long) Array.getLength(array) * elementBytes();
  }

  private int elementBytes() {
    if (array instanceof byte[]) {
      return Byte.BYTES;
    }
    if (array instanceof short[] || array instanceof char[]) {
      return Short.BYTES;
    }
    return array instanceof int[] || array instanceof float[] ? Integer.BYTES : Long.BYTES;
  }

  /** Returns the size of an element of a buffer. */
  static int elementBytes(Buffer buffer) {
    if (buffer instanceof ByteBuffer) {
      return Byte.BYTES;
    }
    if (buffer instanceof ShortBuffer || buffer instanceof CharBuffer) {
      return Short.BYTES;
    }
    return buffer instanceof IntBuffer || buffer instanceof FloatBuffer
        ? Integer.BYTES
        : Long.BYTES;
  }

  /** Returns a copy of a range. */
  @Override
  public ByteBuffer read(int offset, int bytes) {
    return elements(offset, bytes).position(offset % elementBytes()).slice().limit(bytes);
  }

  /** Returns a copy of the elements that a range touches. */
  private ByteBuffer elements(int offset, int bytes) {
    int unit = elementBytes();
    int first = offset / unit;
    int count = (offset + bytes + unit - 1) / unit - first;
    ByteBuffer copy = ByteBuffer.allocate(count * unit).order(ByteOrder.nativeOrder());
    if (array instanceof byte[] of) {
      copy.put(of, first, count).rewind();
    } else if (array instanceof short[] of) {
      copy.asShortBuffer().put(of, first, count);
    } else if (array instanceof char[] of) {
      copy.asCharBuffer().put(of, first, count);
    } else if (array instanceof int[] of) {
      copy.asIntBuffer().put(of, first, count);
    } else if (array instanceof long[] of) {
      copy.asLongBuffer().put(of, first, count);
    } else if (array instanceof float[] of) {
      copy.asFloatBuffer().put(of, first, count);
    } else {
      copy.asDoubleBuffer().put((double[]) array, first, count);
    }
    return copy;
  }

  /** Writes a range; other bytes of its first and last element stay. */
  @Override
  public void write(int offset, ByteBuffer bytes) {
    int unit = elementBytes();
    int first = offset / unit;
    ByteBuffer changed = elements(offset, bytes.remaining());
    changed.put(offset % unit, bytes, bytes.position(), bytes.remaining());
    int count = changed.capacity() / unit;
    if (array instanceof byte[] of) {
      changed.get(0, of, first, count);
    } else if (array instanceof short[] of) {
      changed.asShortBuffer().get(of, first, count);
    } else if (array instanceof char[] of) {
      changed.asCharBuffer().get(of, first, count);
    } else if (array instanceof int[] of) {
      changed.asIntBuffer().get(of, first, count);
    } else if (array instanceof long[] of) {
      changed.asLongBuffer().get(of, first, count);
    } else if (array instanceof float[] of) {
      changed.asFloatBuffer().get(of, first, count);
    } else {
      DoubleBuffer values = changed.asDoubleBuffer();
      values.get((double[]) array, first, count);
    }
  }
}
