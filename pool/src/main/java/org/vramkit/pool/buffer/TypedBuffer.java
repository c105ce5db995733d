package org.vramkit.pool.buffer;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.ForeignStream;

/**
 * Elements of one type in device memory, until closed; closing twice is harmless, use after close
 * an error. Copies run on the buffer's stream. Copies from the host take the bytes before they
 * return; copies to the host return when the bytes are there.
 *
 * <p>Arrays fit the element type by width and kind: {@code byte[]} INT8, {@code short[]} INT16 and
 * the bits of FLOAT16 and BFLOAT16, {@code int[]} INT32, {@code long[]} INT64, {@code float[]}
 * FLOAT32, {@code double[]} FLOAT64.
 */
public final class TypedBuffer implements AutoCloseable {
  private final DeviceCache cache;
  private final AtomicReference<@Nullable CachedBuffer> buffer;
  private final ElementType type;
  private final long count;

  TypedBuffer(DeviceCache cache, CachedBuffer buffer, long count) {
    this.cache = cache;
    this.buffer = new AtomicReference<>(buffer);
    this.type = buffer.key.type();
    this.count = count;
  }

  /** What the elements are. */
  public ElementType getType() {
    return type;
  }

  /** How many elements were asked for. */
  public long getCount() {
    return count;
  }

  /** Bytes of those elements. */
  public long getSize() {
    return type.bytesOf(count);
  }

  /** The device address of the first element; 0 if there is none. */
  public long getAddress() {
    return open().memory.getAddress();
  }

  /** The stream that the buffer belongs to. */
  public Stream getStream() {
    return open().key.stream();
  }

  /** Whether it was closed. */
  public boolean isClosed() {
    return buffer.get() == null;
  }

  /**
   * Tells that work submitted to another stream uses the buffer. It is not handed out again before
   * that stream has passed the point of close.
   */
  public void recordUse(Stream stream) {
    CachedBuffer held = open();
    ForeignStream.refuseUse(stream, held.key.stream().getDevice(), "the buffer");
    held.recordUse(stream);
  }

  /** Copies what is left in a buffer of the host, from the first element on. */
  public void copyFrom(ByteBuffer source) {
    requireRoom(source.remaining(), "copy in");
    CachedBuffer held = open();
    if (source.hasRemaining()) {
      held.key.stream().copyToDevice(held.memory.getAddress(), source);
    }
  }

  /** Fills what is left in a buffer of the host, from the first element on. */
  public void copyTo(ByteBuffer target) {
    requireRoom(target.remaining(), "copy out");
    CachedBuffer held = open();
    if (target.hasRemaining()) {
      held.key.stream().copyToHost(target, held.memory.getAddress());
    }
  }

  /** Copies an array in. */
  public void copyFrom(byte[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array in; for 16-bit floats their bits. */
  public void copyFrom(short[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array in. */
  public void copyFrom(int[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array in. */
  public void copyFrom(long[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array in. */
  public void copyFrom(float[] source) {
    copyIn(HostArray.of(source));
  }

  /** Copies an array in. */
  public void copyFrom(double[] source) {
    copyIn(HostArray.of(source));
  }

  /** Fills an array. */
  public void copyTo(byte[] target) {
    copyOut(HostArray.of(target));
  }

  /** Fills an array; for 16-bit floats with their bits. */
  public void copyTo(short[] target) {
    copyOut(HostArray.of(target));
  }

  /** Fills an array. */
  public void copyTo(int[] target) {
    copyOut(HostArray.of(target));
  }

  /** Fills an array. */
  public void copyTo(long[] target) {
    copyOut(HostArray.of(target));
  }

  /** Fills an array. */
  public void copyTo(float[] target) {
    copyOut(HostArray.of(target));
  }

  /** Fills an array. */
  public void copyTo(double[] target) {
    copyOut(HostArray.of(target));
  }

  private void copyIn(HostArray source) {
    source.requireFits(type);
    requireRoom(source.bytes(), "copy in");
    CachedBuffer held = open();
    source.copyTo(held.key.stream(), held.memory.getAddress());
  }

  private void copyOut(HostArray target) {
    target.requireFits(type);
    requireRoom(target.bytes(), "copy out");
    CachedBuffer held = open();
    target.copyFrom(held.key.stream(), held.memory.getAddress());
  }

  private void requireRoom(long bytes, String what) {
    if (bytes > getSize()) {
      throw new InvalidArgumentException(
          "cannot " + what + " " + bytes + " bytes: " + this + " has " + getSize());
    }
  }

  private CachedBuffer open() {
    CachedBuffer held = buffer.get();
    if (held == null) {
      throw new ClosedException("the " + this + " is closed");
    }
    return held;
  }

  /** Returns the buffer to its pool as of this point of its stream. */
  @Override
  public void close() {
    CachedBuffer held = buffer.getAndSet(null);
    if (held != null) {
      cache.giveBack(held, count > 0);
    }
  }

  @Override
  public String toString() {
    return "buffer of " + count + " " + type;
  }
}
