package org.vramkit.api.allocator;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.api.device.Stream;

/**
 * A handle to allocated device memory, valid until it is closed. Every allocation returns a new
 * handle. Closing a handle twice is harmless. Using a closed handle throws {@link
 * org.vramkit.api.error.ClosedException}, even if the allocator has already reused the memory. Any
 * thread may use and close a handle, not only the thread that allocated it.
 */
public interface Allocation extends MemoryArgument, AutoCloseable {

  /** Returns the device address of the first byte; 0 for an empty allocation. */
  @Override
  long getAddress();

  /** Returns the requested size in bytes, also of a closed allocation. */
  long getSize();

  /** Returns the stream that the memory belongs to. */
  Stream getStream();

  /** Returns whether the allocation was closed. */
  boolean isClosed();

  /** Returns whether uses by streams of {@code device} can be recorded: those of its own device. */
  @Override
  default boolean recordsUsesOf(Device device) {
    return getStream().getDevice().equals(device);
  }

  /**
   * Records that work on another stream uses the memory, as {@code record_stream} does in PyTorch.
   * Call it after submitting that work and before {@link #close}. The memory is not reused until
   * {@code stream} has completed the work submitted to it before the close.
   *
   * <p>A closed stream takes no more work, but its earlier work goes on. Recording it after its
   * close is therefore valid: the memory is not reused until that work is complete.
   *
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code stream} belongs to another
   *     device
   */
  @Override
  void recordUse(Stream stream);

  /**
   * Frees the memory in stream order: work submitted to {@link #getStream()} before this call may
   * still use the memory. Does not wait for the device. Repeated calls have no effect, even from
   * two threads at once.
   */
  @Override
  void close();
}
