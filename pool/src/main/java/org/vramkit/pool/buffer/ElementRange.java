package org.vramkit.pool.buffer;

import java.nio.ByteBuffer;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.Streams;

/**
 * A range of elements of one type in device memory: a {@link TypedBuffer}, or a {@linkplain #slice
 * slice} of one. A slice needs no close of its own, because it is closed with its buffer. Using a
 * closed range throws {@link ClosedException}.
 *
 * <p>Copies run on the buffer's stream. A copy from the host returns once it has read the source, a
 * copy to the host once it has filled the target. A source must have exactly as many elements as
 * the range; a target may have fewer. Use slices to copy parts.
 *
 * <p>The array type must match the element type: {@code byte[]} for INT8, {@code short[]} for INT16
 * and for the bits of FLOAT16 and BFLOAT16, {@code int[]} for INT32, {@code long[]} for INT64,
 * {@code float[]} for FLOAT32, {@code double[]} for FLOAT64.
 */
public abstract class ElementRange implements MemoryArgument {
  private final ElementType type;
  private final long count;

  ElementRange(ElementType type, long count) {
    this.type = type;
    this.count = count;
  }

  /** Returns the memory of the buffer, which must be open. */
  abstract CachedBuffer open();

  /** Returns the index of the first element in the buffer. */
  abstract long first();

  /** Returns the type of the elements. */
  public final ElementType getType() {
    return type;
  }

  /** Returns the number of elements, as requested. */
  public final long getCount() {
    return count;
  }

  /** Returns the bytes of the elements. */
  public final long getSize() {
    return type.bytesOf(count);
  }

  /** Returns the device address of the first element; 0 in an empty buffer. */
  @Override
  public final long getAddress() {
    return open().getAddress() + type.bytesOf(first());
  }

  /** Returns the stream of the buffer. */
  public final Stream getStream() {
    return open().key().stream();
  }

  /** Returns whether uses by streams of {@code device} can be recorded: those of its own device. */
  @Override
  public final boolean recordsUsesOf(Device device) {
    return getStream().getDevice().equals(device);
  }

  /**
   * Records that work submitted to another stream uses the buffer. A use of a slice counts as a use
   * of its whole buffer. The buffer is not reused before {@code stream} has completed the work
   * submitted to it before the close.
   */
  @Override
  public final void recordUse(Stream stream) {
    CachedBuffer held = open();
    Streams.refuseForeignUse(stream, held.key().stream().getDevice(), "the buffer");
    held.recordUse(stream);
  }

  /**
   * Returns a slice of these elements.
   *
   * @param from index of the first element
   * @param length number of elements
   * @throws InvalidArgumentException if the slice is not inside the range
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

  /** Copies the remaining bytes of a host buffer, which must fill the range. */
  public final void copyFrom(ByteBuffer source) {
    requireFilledBy(source.remaining(), "a ByteBuffer");
    CachedBuffer held = open();
    if (source.hasRemaining()) {
      held.key().stream().copyToDevice(getAddress(), source);
    }
  }

  /** Fills the remaining bytes of a host buffer, from the first element on. */
  public final void copyTo(ByteBuffer target) {
    requireFills(target.remaining(), "a ByteBuffer");
    CachedBuffer held = open();
    if (target.hasRemaining()) {
      held.key().stream().copyToHost(target, getAddress());
    }
  }

  /** Copies an array, which must fill the range. */
  public final void copyFrom(byte[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array, which must fill the range. For 16-bit floats the array holds their bits. */
  public final void copyFrom(short[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array, which must fill the range. */
  public final void copyFrom(int[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array, which must fill the range. */
  public final void copyFrom(long[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array, which must fill the range. */
  public final void copyFrom(float[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array, which must fill the range. */
  public final void copyFrom(double[] source) {
    copyIn(HostArray.of(source));
  }

  /** Fills an array, from the first element on. */
  public final void copyTo(byte[] target) {
    copyOut(HostArray.of(target));
  }

  /** Fills an array, from the first element on. For 16-bit floats the array receives their bits. */
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
              + "; copy to a smaller target");
    }
  }
}
