package org.vramkit.pool.buffer;

import java.nio.ByteBuffer;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.Streams;

/**
 * Elements of one type in device memory: all of a {@link TypedBuffer}, or a {@linkplain #slice
 * slice} of it, which lives as long as the buffer does and needs no close. Use after the buffer was
 * closed is an error.
 *
 * <p>Copies run on the buffer's stream. Copies from the host take the bytes before they return;
 * copies to the host return when the bytes are there. What is written is written in full: a source
 * has exactly as many elements as the range, a target at most as many. For parts take slices.
 *
 * <p>Arrays fit the element type by width and kind: {@code byte[]} INT8, {@code short[]} INT16 and
 * the bits of FLOAT16 and BFLOAT16, {@code int[]} INT32, {@code long[]} INT64, {@code float[]}
 * FLOAT32, {@code double[]} FLOAT64.
 */
public abstract class ElementRange {
  private final ElementType type;
  private final long count;

  ElementRange(ElementType type, long count) {
    this.type = type;
    this.count = count;
  }

  /** The memory of the buffer. */
  abstract CachedBuffer open();

  /** Where the range begins in the buffer, in elements. */
  abstract long first();

  /** What the elements are. */
  public final ElementType getType() {
    return type;
  }

  /** How many elements there are: for a buffer, how many were asked for. */
  public final long getCount() {
    return count;
  }

  /** Bytes of those elements. */
  public final long getSize() {
    return type.bytesOf(count);
  }

  /** The device address of the first element; 0 in a buffer that has none. */
  public final long getAddress() {
    return open().memory.getAddress() + type.bytesOf(first());
  }

  /** The stream that the buffer belongs to. */
  public final Stream getStream() {
    return open().key().stream();
  }

  /**
   * Tells that work submitted to another stream uses the buffer, all of it if this is a slice. It
   * is not handed out again before that stream has passed the point of close.
   */
  public final void recordUse(Stream stream) {
    CachedBuffer held = open();
    Streams.refuseForeignUse(stream, held.key().stream().getDevice(), "the buffer");
    held.recordUse(stream);
  }

  /**
   * A part of these elements.
   *
   * @param from index of its first element
   * @param length how many elements
   * @throws InvalidArgumentException if that is not inside
   * @throws ClosedException if the buffer is closed
   */
  public final ElementRange slice(long from, long length) {
    open();
    if (from < 0 || length < 0 || from > count - length) {
      throw new InvalidArgumentException(
          "elements [" + from + ", +" + length + ") are not inside the " + this);
    }
    return new BufferSlice(this, from, length);
  }

  /** Copies what is left in a buffer of the host, which must fill the range. */
  public final void copyFrom(ByteBuffer source) {
    requireFilledBy(source.remaining(), "a ByteBuffer");
    CachedBuffer held = open();
    if (source.hasRemaining()) {
      held.key().stream().copyToDevice(getAddress(), source);
    }
  }

  /** Fills what is left in a buffer of the host, from the first element on. */
  public final void copyTo(ByteBuffer target) {
    requireFills(target.remaining(), "a ByteBuffer");
    CachedBuffer held = open();
    if (target.hasRemaining()) {
      held.key().stream().copyToHost(target, getAddress());
    }
  }

  /** Copies an array in, which must fill the range. */
  public final void copyFrom(byte[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array in, which must fill the range; for 16-bit floats their bits. */
  public final void copyFrom(short[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array in, which must fill the range. */
  public final void copyFrom(int[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array in, which must fill the range. */
  public final void copyFrom(long[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array in, which must fill the range. */
  public final void copyFrom(float[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array in, which must fill the range. */
  public final void copyFrom(double[] source) {
    copyIn(HostArray.of(source));
  }

  /** Fills an array, from the first element on. */
  public final void copyTo(byte[] target) {
    copyOut(HostArray.of(target));
  }

  /** Fills an array, from the first element on; for 16-bit floats with their bits. */
  public final void copyTo(short[] target) {
    copyOut(HostArray.of(target));
  }

  /** Fills an array, from the first element on. */
  public final void copyTo(int[] target) {
    copyOut(HostArray.of(target));
  }

  /** Fills an array, from the first element on. */
  public final void copyTo(long[] target) {
    copyOut(HostArray.of(target));
  }

  /** Fills an array, from the first element on. */
  public final void copyTo(float[] target) {
    copyOut(HostArray.of(target));
  }

  /** Fills an array, from the first element on. */
  public final void copyTo(double[] target) {
    copyOut(HostArray.of(target));
  }

  private void copyIn(HostArray source) {
    source.requireFits(type);
    requireFilledBy(source.bytes(), source.toString());
    source.copyTo(open().key().stream(), getAddress());
  }

  private void copyOut(HostArray target) {
    target.requireFits(type);
    requireFills(target.bytes(), target.toString());
    target.copyFrom(open().key().stream(), getAddress());
  }

  private void requireFilledBy(long bytes, String source) {
    if (bytes != getSize()) {
      throw new InvalidArgumentException(
          source
              + " of "
              + bytes
              + " bytes does not fill the "
              + this
              + ", which has "
              + getSize()
              + "; copy into a slice(from, length) of it, or from a part of the source");
    }
  }

  private void requireFills(long bytes, String target) {
    if (bytes > getSize()) {
      throw new InvalidArgumentException(
          target
              + " of "
              + bytes
              + " bytes cannot be filled from the "
              + this
              + ", which has "
              + getSize()
              + "; copy to a part of it");
    }
  }
}
