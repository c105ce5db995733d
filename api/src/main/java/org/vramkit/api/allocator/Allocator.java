package org.vramkit.api.allocator;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Allocates memory of one device in stream order. Safe for any thread unless an implementation says
 * otherwise. An allocator cannot be closed while it has live allocations.
 */
public interface Allocator extends AutoCloseable {

  /** Returns the device whose memory this allocator allocates. */
  Device getDevice();

  /**
   * Allocates memory for work that is submitted to {@code stream} after this call.
   *
   * @param bytes the size in bytes; 0 returns an empty allocation at address 0 that takes no memory
   * @param stream the stream that the memory belongs to
   * @return the allocation, for the caller to close; its address is aligned to at least 256 bytes
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory; the
   *     allocator is then unchanged
   * @throws InvalidArgumentException if {@code bytes} is negative or {@code stream} belongs to
   *     another device
   * @throws org.vramkit.api.error.ClosedException if the allocator is closed, or if the stream is
   *     closed and {@code bytes} is not 0; a request served from a cache does not always detect a
   *     closed stream
   */
  Allocation allocate(long bytes, Stream stream);

  /**
   * Allocates memory at an address that is a multiple of {@code alignment}, for libraries that need
   * more than 256 bytes. An allocator that cannot choose addresses reserves up to {@code alignment}
   * additional bytes.
   *
   * @param alignment a power of two up to 2 MiB
   * @throws InvalidArgumentException if {@code alignment} is invalid, or as {@link #allocate(long,
   *     Stream)}
   * @see #allocate(long, Stream)
   */
  default Allocation allocateAligned(long bytes, long alignment, Stream stream) {
    return AlignedAllocation.of(this, bytes, alignment, stream);
  }

  /**
   * Allocates on the default stream.
   *
   * @see #allocate(long, Stream)
   */
  default Allocation allocate(long bytes) {
    return allocate(bytes, getDevice().getDefaultStream());
  }

  /**
   * Allocates memory for {@code count} elements. The memory is not initialized.
   *
   * @param count the number of elements; 0 returns an empty allocation
   * @throws InvalidArgumentException if {@code count} is negative or the size overflows; the
   *     message names both factors
   */
  default Allocation allocate(long count, ElementType type, Stream stream) {
    Objects.requireNonNull(type, "type");
    long bytes;
    try {
      bytes = type.bytesOf(count);
    } catch (ArithmeticException | IllegalArgumentException e) {
      throw new InvalidArgumentException(
          "cannot allocate " + type + " elements: " + e.getMessage());
    }
    return allocate(bytes, stream);
  }

  /**
   * Allocates memory for {@code count} elements and submits a fill with zeros to {@code stream}.
   */
  default Allocation allocateZeroed(long count, ElementType type, Stream stream) {
    Allocation allocation = allocate(count, type, stream);
    return Filling.orClose(
        allocation, () -> stream.fill(allocation.getAddress(), (byte) 0, allocation.getSize()));
  }

  /** Allocates {@code source.remaining()} bytes and copies the buffer's remaining bytes to them. */
  default Allocation allocateCopy(ByteBuffer source, Stream stream) {
    Allocation allocation = allocate(source.remaining(), stream);
    return Filling.orClose(allocation, () -> stream.copyToDevice(allocation.getAddress(), source));
  }

  /**
   * Returns free memory to the driver. Has no effect on a closed allocator.
   *
   * @param keepBytes reserved bytes that may remain; live memory always remains
   * @throws InvalidArgumentException if {@code keepBytes} is negative
   */
  void trim(long keepBytes);

  /** Returns a snapshot of the statistics. */
  AllocatorStatistics getStatistics();

  /** Resets every peak to the current value. */
  void resetPeaks();

  /**
   * Returns the most bytes that this allocator may have allocated at once, by its own limit and
   * those of the allocators below it. A limit may count the memory that allocations take, which is
   * more than they request.
   *
   * @return {@link Long#MAX_VALUE} without a limit, as by default
   */
  default long getLimit() {
    return Long.MAX_VALUE;
  }

  /**
   * Returns how many bytes the {@linkplain #getLimit limits} leave for further allocations. The
   * device may have less.
   *
   * @return not negative; {@link Long#MAX_VALUE} without a limit, as by default
   */
  default long getAvailableBytes() {
    return Long.MAX_VALUE;
  }

  /**
   * Adds a reclaimer, which is called before an allocation fails and before any out-of-memory
   * handler. Reclaimers are called in the order in which they were added. None is called for a
   * request that exceeds the limit or the device, which no reclaimer can help, nor during a
   * capture.
   *
   * @return false if this allocator calls no reclaimers, as by default; the caller must then free
   *     memory and try again itself
   */
  default boolean addReclaimer(Reclaimer reclaimer) {
    return false;
  }

  /** Removes a reclaimer. Has no effect if it was not added. */
  default void removeReclaimer(Reclaimer reclaimer) {}

  /**
   * Closes the allocator and returns all of its memory to the driver. Repeated calls have no
   * effect. If the driver fails to free some memory, its error is thrown, the allocator counts as
   * closed, and another call frees the remaining memory. May be called after the backend was closed
   * and on a lost device.
   *
   * @throws IllegalStateException if allocations are live or in progress; the message gives their
   *     number and size, and the allocator stays open
   */
  @Override
  void close();
}
