package org.vramkit.api.allocator;

import java.nio.ByteBuffer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Hands out memory of one device in stream order. Safe for any thread unless an implementation says
 * otherwise. Closing it while allocations live is an error that names them.
 */
public interface Allocator extends AutoCloseable {

  /** The device whose memory it hands out. */
  Device getDevice();

  /**
   * Allocates memory that may be used by work submitted to the stream from now on.
   *
   * @param bytes how many; 0 gives an empty allocation at address 0 that costs nothing
   * @param stream the stream that the memory belongs to
   * @return a handle to close; its address is aligned to at least 256 bytes
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if there is too little memory; the
   *     allocator is as it was before
   * @throws InvalidArgumentException if {@code bytes} is negative or the stream is another device's
   * @throws org.vramkit.api.error.ClosedException if the allocator is closed, or the stream of an
   *     allocation that is not empty; an allocator that has a block of that stream at hand may not
   *     notice
   */
  Allocation allocate(long bytes, Stream stream);

  /**
   * Allocates memory whose address is a multiple of more than 256, as some libraries want it for
   * their work. An allocator that cannot choose addresses takes more memory, up to the alignment.
   *
   * @param alignment a power of two up to 2 MiB
   * @throws InvalidArgumentException if it is none, or as {@link #allocate(long, Stream)} does
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
   * Allocates room for elements; their bytes are what the memory last held.
   *
   * @param count how many; 0 gives an empty allocation
   * @throws InvalidArgumentException if negative, or if the size overflows; names the factors
   */
  default Allocation allocate(long count, ElementType type, Stream stream) {
    long bytes;
    try {
      bytes = type.bytesOf(count);
    } catch (ArithmeticException | IllegalArgumentException e) {
      throw new InvalidArgumentException(
          "cannot allocate " + type + " elements: " + e.getMessage());
    }
    return allocate(bytes, stream);
  }

  /** Allocates elements whose bytes are 0, by one asynchronous fill. */
  default Allocation allocateZeroed(long count, ElementType type, Stream stream) {
    Allocation allocation = allocate(count, type, stream);
    return Filling.orClose(
        allocation, () -> stream.fill(allocation.getAddress(), (byte) 0, allocation.getSize()));
  }

  /** Allocates as many bytes as the buffer has left and copies them to the device. */
  default Allocation allocateCopy(ByteBuffer source, Stream stream) {
    Allocation allocation = allocate(source.remaining(), stream);
    return Filling.orClose(allocation, () -> stream.copyToDevice(allocation.getAddress(), source));
  }

  /**
   * Gives free memory back to the driver. Does nothing once the allocator is closed.
   *
   * @param keepBytes how much reserved memory may stay; what is live stays in any case
   * @throws InvalidArgumentException if that is negative
   */
  void trim(long keepBytes);

  /** The figures of this moment. */
  AllocatorStatistics getStatistics();

  /** Makes every peak the current value. */
  void resetPeaks();

  /**
   * Gives all memory back to the driver. Harmless when repeated; where the driver fails it, the
   * allocator is closed, and the next call goes on from there. May come after the close of the
   * backend, and on a lost device.
   *
   * @throws IllegalStateException if allocations are still live or being made; names how many and
   *     how large, and the allocator stays as it was
   */
  @Override
  void close();
}
