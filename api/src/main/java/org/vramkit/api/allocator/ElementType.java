package org.vramkit.api.allocator;

import org.vramkit.api.units.ByteSize;

/** The types of elements that GPU buffers hold, with their widths. */
public enum ElementType {
  /** 8-bit integer. */
  INT8(1),
  /** 16-bit integer. */
  INT16(2),
  /** 32-bit integer. */
  INT32(4),
  /** 64-bit integer. */
  INT64(8),
  /** IEEE 754 half precision. */
  FLOAT16(2),
  /** The upper half of a {@link #FLOAT32}, with 8 bits of exponent and 7 bits of fraction. */
  BFLOAT16(2),
  /** IEEE 754 single precision. */
  FLOAT32(4),
  /** IEEE 754 double precision. */
  FLOAT64(8);

  private final int width;

  ElementType(int width) {
    this.width = width;
  }

  /** Returns the bytes of one element. */
  public int getWidth() {
    return width;
  }

  /**
   * Returns the bytes of {@code count} elements.
   *
   * @param count the number of elements, not negative
   * @throws ArithmeticException if the size exceeds {@link Long#MAX_VALUE}; the message names both
   *     factors
   * @throws IllegalArgumentException if {@code count} is negative
   */
  public long bytesOf(long count) {
    return ByteSize.multiply(count, width);
  }
}
