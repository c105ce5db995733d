package org.vramkit.pool.pinned;

import java.nio.ByteBuffer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.Loan;

/**
 * Page-locked bytes until closed; closing twice is harmless, use after close an error. It may be
 * closed while copies are queued that were submitted through it or recorded.
 */
public final class PooledPinnedBuffer implements AutoCloseable {
  private final Loan<CachedPinned> loan;
  private final MemoryObserver observer;
  private final long size;

  /** Hands a buffer to its user. */
  PooledPinnedBuffer(Loan<CachedPinned> loan, Device device, long size) {
    this.loan = loan;
    this.observer = device.getMemoryObserver();
    this.size = size;
    observer.allocatedOnHost(open().address(), size);
  }

  /** How many bytes were asked for. */
  public long getSize() {
    return size;
  }

  /**
   * All bytes, in native byte order; a new view each time. Take it after waiting for what copies to
   * the buffer: a simulator takes it for a read.
   *
   * @throws InvalidArgumentException if there are more than 2^31 - 1: use {@link #getBytes(long,
   *     int)}
   */
  public ByteBuffer getBytes() {
    if (size > Integer.MAX_VALUE) {
      throw new InvalidArgumentException(
          "a ByteBuffer cannot show " + size + " bytes at once; ask for a part of them");
    }
    return getBytes(0, (int) size);
  }

  /**
   * A part of the bytes, in native byte order. Take it after waiting for what copies to the buffer.
   *
   * @param offset first byte
   * @param bytes how many
   */
  public ByteBuffer getBytes(long offset, int bytes) {
    requireInside(offset, bytes);
    PinnedBuffer memory = open().memory();
    memory.hostReads(offset, bytes);
    return memory.getBytes(offset, bytes);
  }

  /** The page-locked memory itself, for copies; at least as large as asked for. */
  public PinnedBuffer getMemory() {
    return open().memory();
  }

  /**
   * Tells that copies submitted to a stream use the buffer. Call it after submitting them and
   * before closing; {@link #copyToDevice} and {@link #copyToHost} do.
   */
  public void recordUse(Stream stream) {
    record(open(), stream);
  }

  private void record(CachedPinned held, Stream stream) {
    held.uses.record(stream);
    // Any device may copy from and to it.
    stream.getDevice().getMemoryObserver().used(held.address(), stream);
  }

  /** Submits a copy of all bytes to the device. Does not block. */
  public void copyToDevice(long target, Stream stream) {
    CachedPinned held = open();
    // First: a copy may be queued even where submitting it throws.
    record(held, stream);
    stream.copyToDevice(target, held.memory(), 0, size);
  }

  /** Submits a copy that fills all bytes. They are there once the stream has passed it. */
  public void copyToHost(long source, Stream stream) {
    CachedPinned held = open();
    record(held, stream);
    stream.copyToHost(held.memory(), 0, source, size);
  }

  private void requireInside(long offset, long bytes) {
    if (offset < 0 || bytes < 0 || offset > size - bytes) {
      throw new InvalidArgumentException(
          "bytes [" + offset + ", +" + bytes + ") are not inside the buffer of " + size);
    }
  }

  private CachedPinned open() {
    CachedPinned held = loan.piece();
    if (held == null) {
      throw new ClosedException(
          "the page-locked buffer of " + size + " bytes",
          "its bytes may be another's",
          "use it before its close, or take a new one");
    }
    return held;
  }

  /** Tells whether it was closed. */
  public boolean isClosed() {
    return loan.isClosed();
  }

  /** Returns the buffer; it is used again once all recorded streams have passed this point. */
  @Override
  public void close() {
    loan.close(held -> observer.freedOnHost(held.address()));
  }

  @Override
  public String toString() {
    return "page-locked buffer of " + size + " bytes";
  }
}
