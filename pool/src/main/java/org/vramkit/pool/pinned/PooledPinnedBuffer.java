package org.vramkit.pool.pinned;

import java.nio.ByteBuffer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.Lease;

/**
 * A page-locked buffer of a {@link PinnedPool}. The buffer may be closed while copies are still
 * queued, if they were submitted through it or recorded. Repeated closes have no effect. Using a
 * closed buffer throws {@link ClosedException}.
 */
public final class PooledPinnedBuffer implements MemoryArgument, AutoCloseable {
  private final Lease<CachedPinned> lease;
  private final MemoryObserver observer;
  private final long size;

  /** Creates the handle of a leased buffer, and reports the lease to the observer. */
  PooledPinnedBuffer(Lease<CachedPinned> lease, Device device, long size) {
    this.lease = lease;
    this.observer = device.getMemoryObserver();
    this.size = size;
    observer.allocatedOnHost(open().address(), size);
  }

  /** Returns the address, which is the same on the host and on every device. */
  @Override
  public long getAddress() {
    return open().address();
  }

  /** Returns true, because any device may access page-locked memory. */
  @Override
  public boolean recordsUsesOf(Device device) {
    return true;
  }

  /** Returns the requested size in bytes. */
  public long getSize() {
    return size;
  }

  /**
   * Returns a new view of all bytes in native byte order. Wait for copies to the buffer before this
   * call, because the simulator treats it as a read.
   *
   * @throws InvalidArgumentException if there are more than {@link PinnedBuffer#LONGEST_VIEW}
   *     bytes: use {@link #getBytes(long, int)}
   */
  public ByteBuffer getBytes() {
    if (size > PinnedBuffer.LONGEST_VIEW) {
      throw new InvalidArgumentException(
          "a ByteBuffer cannot show " + size + " bytes at once; use getBytes(offset, bytes)");
    }
    return getBytes(0, (int) size);
  }

  /**
   * Returns a view of a part of the bytes in native byte order. Wait for copies to the buffer
   * before this call.
   *
   * @param offset offset of the first byte
   * @param bytes number of bytes, at most {@link PinnedBuffer#LONGEST_VIEW}
   */
  public ByteBuffer getBytes(long offset, int bytes) {
    requireInside(offset, bytes);
    PinnedBuffer memory = open().memory();
    memory.hostReads(offset, bytes);
    return memory.getBytes(offset, bytes);
  }

  /** Returns the page-locked memory, for copies. The memory may be larger than requested. */
  public PinnedBuffer getMemory() {
    return open().memory();
  }

  /**
   * Records that work submitted to a stream uses the buffer. Call it after submitting the work and
   * before the close; {@link #copyToDevice}, {@link #copyToHost} and launches do so.
   */
  @Override
  public void recordUse(Stream stream) {
    record(open(), stream);
  }

  private void record(CachedPinned held, Stream stream) {
    held.uses.record(stream);
    // Any device may copy from and to it.
    stream.getDevice().getMemoryObserver().used(held.address(), stream);
  }

  /** Submits a copy of all bytes to the device at {@code target}. Does not block. */
  public void copyToDevice(long target, Stream stream) {
    CachedPinned held = open();
    // Recorded first: a copy may be queued even if submitting it throws.
    record(held, stream);
    stream.copyToDevice(target, held.memory(), 0, size);
  }

  /** Submits a copy from the device at {@code source} that fills all bytes. Does not block. */
  public void copyToHost(long source, Stream stream) {
    CachedPinned held = open();
    record(held, stream);
    stream.copyToHost(held.memory(), 0, source, size);
  }

  private void requireInside(long offset, long bytes) {
    if (offset < 0 || bytes < 0 || offset > size - bytes) {
      throw new InvalidArgumentException(
          "bytes ["
              + offset
              + ", +"
              + bytes
              + ") are not inside the page-locked buffer of "
              + size
              + " bytes");
    }
  }

  private CachedPinned open() {
    CachedPinned held = lease.piece();
    if (held == null) {
      throw new ClosedException(
          "the page-locked buffer of " + size + " bytes",
          "its memory may belong to another buffer now",
          "use the buffer before closing it, or acquire a new one");
    }
    return held;
  }

  /** Returns whether the buffer is closed. */
  public boolean isClosed() {
    return lease.isClosed();
  }

  /**
   * Returns the buffer to its pool, which reuses it once all recorded streams have passed this
   * point.
   */
  @Override
  public void close() {
    lease.close(held -> observer.freedOnHost(held.address()));
  }

  @Override
  public String toString() {
    return "page-locked buffer of " + size + " bytes";
  }
}
