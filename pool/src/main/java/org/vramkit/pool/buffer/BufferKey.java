package org.vramkit.pool.buffer;

import java.util.Objects;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * What must be equal for a cached buffer to serve a request (requirements S2.1, S2.4). The stream
 * brings its device.
 *
 * @param count elements, rounded
 */
record BufferKey(Stream stream, long count, ElementType type) {
  /** Counts are rounded up to a multiple of this (requirement S2.2). */
  static final long COUNT_STEP = 256;

  static BufferKey of(Stream stream, long count, ElementType type) {
    Objects.requireNonNull(type, "type");
    try {
      type.bytesOf(count);
    } catch (ArithmeticException e) {
      throw new InvalidArgumentException("cannot take a buffer of " + type + ": " + e.getMessage());
    }
    return new BufferKey(stream, roundUp(count), type);
  }

  /** Bytes of the rounded count; the most that there is where they overflow. */
  long bytes() {
    int width = type.getWidth();
    return count > Long.MAX_VALUE / width ? Long.MAX_VALUE : count * width;
  }

  /** Rounds up, and stays at the largest multiple that there is instead of overflowing. */
  static long roundUp(long count) {
    long largest = Long.MAX_VALUE & -COUNT_STEP;
    return count > largest ? largest : (count + COUNT_STEP - 1) & -COUNT_STEP;
  }
}
