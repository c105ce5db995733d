package org.vramkit.pool.buffer;

import java.util.Objects;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The key of a cached buffer: it serves requests with an equal key (requirements S2.1, S2.4). The
 * stream implies the device.
 *
 * @param count rounded number of elements
 */
record BufferKey(Stream stream, long count, ElementType type) {
  /** Counts are rounded up to a multiple of this (requirement S2.2). */
  static final long COUNT_STEP = 256;

  static BufferKey of(Stream stream, long count, ElementType type) {
    Objects.requireNonNull(type, "type");
    try {
      type.bytesOf(count);
    } catch (ArithmeticException e) {
      throw new InvalidArgumentException(
          "cannot acquire a buffer of " + type + ": " + e.getMessage());
    }
    return new BufferKey(stream, roundUp(count), type);
  }

  /** Returns the bytes of the rounded count; {@link Long#MAX_VALUE} if they overflow. */
  long bytes() {
    int width = type.getWidth();
    return count > Long.MAX_VALUE / width ? Long.MAX_VALUE : count * width;
  }

  /** Rounds up, to the largest multiple at most, without overflow. */
  static long roundUp(long count) {
    long largest = Long.MAX_VALUE & -COUNT_STEP;
    return count > largest ? largest : (count + COUNT_STEP - 1) & -COUNT_STEP;
  }
}
