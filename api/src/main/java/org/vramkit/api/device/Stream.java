package org.vramkit.api.device;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.vramkit.api.error.NotSupportedException;

/**
 * A queue of work on one device. Work on one stream runs in the order of submission; work on
 * different streams is ordered only by events. Safe for any thread; callers must order the
 * submissions of different threads themselves.
 *
 * <p>Every call that submits work throws {@link org.vramkit.api.error.ClosedException} on a closed
 * stream, {@link org.vramkit.api.error.InvalidArgumentException} on a negative range, and {@link
 * org.vramkit.api.error.FatalDeviceException} once the process's CUDA context is lost. Two objects
 * for the same driver stream are equal.
 */
public interface Stream extends AutoCloseable {

  /** Returns the device of this stream. */
  Device getDevice();

  /** Returns the driver's handle; 0 for the default stream. */
  long getHandle();

  /**
   * Returns the name given at {@linkplain Device#createStream(String) creation}; empty for none.
   */
  default String getName() {
    return "";
  }

  /** Returns whether this is the legacy default stream, which cannot be closed. */
  default boolean isDefault() {
    return getHandle() == 0;
  }

  /** Makes work submitted after this call wait for the event's last record. Does not block. */
  void waitFor(Event event);

  /**
   * Returns whether all work submitted so far is complete. Makes a driver call that does not block.
   */
  boolean isIdle();

  /** Blocks until all work submitted so far is complete. */
  void synchronize();

  /**
   * Returns a stage that completes once all work submitted so far is complete.
   *
   * @param executor the executor that runs the blocking wait
   */
  default CompletionStage<Void> synchronizeAsync(Executor executor) {
    return CompletableFuture.runAsync(this::synchronize, executor);
  }

  /**
   * Submits a fill of device memory.
   *
   * @param address first byte
   * @param value the value of every byte
   * @param bytes the length; 0 has no effect
   */
  void fill(long address, byte value, long bytes);

  /**
   * Submits a copy within the device, or from a device that this device can access.
   *
   * @param target first byte written
   * @param source first byte read
   * @param bytes the length; 0 has no effect
   */
  void copy(long target, long source, long bytes);

  /**
   * Copies the remaining bytes of a buffer to the device. The buffer may be reused once the call
   * returns, because pageable memory is staged. Its position does not change.
   *
   * @param target first device byte written
   * @param source the source buffer, heap or direct
   */
  void copyToDevice(long target, ByteBuffer source);

  /**
   * Fills the remaining bytes of a buffer from the device. Blocks until the copy is complete. The
   * buffer's position does not change.
   *
   * @param target the target buffer, heap or direct
   * @param source first device byte read
   */
  void copyToHost(ByteBuffer target, long source);

  /**
   * Submits a copy from page-locked memory. Does not block. Do not modify the range until this
   * stream has completed the copy.
   *
   * @param target first device byte written
   * @param source the source buffer
   * @param offset first byte of the buffer
   * @param bytes the length; 0 has no effect
   */
  void copyToDevice(long target, PinnedBuffer source, long offset, long bytes);

  /**
   * Submits a copy to page-locked memory. Does not block. The bytes are valid once this stream has
   * completed the copy.
   *
   * @param target the target buffer
   * @param offset first byte of the buffer
   * @param source first device byte read
   * @param bytes the length; 0 has no effect
   */
  void copyToHost(PinnedBuffer target, long offset, long source, long bytes);

  /**
   * Submits the copies of a batch, in one driver call if the driver can. Does not block. Each copy
   * behaves as one of {@link #copyToHost(PinnedBuffer, long, long, long)} or {@link
   * #copyToDevice(long, PinnedBuffer, long, long)}. If the driver refuses a copy, others may have
   * been submitted.
   *
   * @param buffer the buffer on the host
   */
  default void copyAll(CopyBatch batch, PinnedBuffer buffer) {
    for (int i = 0; i < batch.getCount(); i++) {
      if (batch.isToHost()) {
        copyToHost(buffer, batch.getOffset(i), batch.getAddress(i), batch.getBytes(i));
      } else {
        copyToDevice(batch.getAddress(i), buffer, batch.getOffset(i), batch.getBytes(i));
      }
    }
  }

  /**
   * Launches a kernel. Does not block. The launch copies its arguments and records itself as a use
   * of each {@link MemoryArgument} that belongs to another stream, so the caller need not.
   * Addresses that are passed as numbers are not recorded.
   *
   * @param kernel a kernel of this stream's device
   * @param config the grid, the block and the dynamic shared memory
   * @param arguments one for each parameter of the kernel: a {@link MemoryArgument} such as an
   *     allocation or a buffer, or a {@code long}, for an address; a {@code Byte}, {@code Short},
   *     {@code Integer}, {@code Long}, {@code Float}, {@code Double}, {@code Boolean} or {@code
   *     Character} of the parameter's size; the remaining bytes of a {@code ByteBuffer} for a
   *     struct by value
   * @throws org.vramkit.api.error.InvalidArgumentException if the arguments do not match the
   *     kernel's parameters, or the configuration exceeds a limit; nothing is launched
   * @throws NotSupportedException without {@link Capability#KERNELS}
   */
  default void launch(Kernel kernel, LaunchConfig config, Object... arguments) {
    throw new NotSupportedException(getDevice() + " has no " + Capability.KERNELS);
  }

  /**
   * Returns whether {@link #close} was called. Makes no driver call and never throws. Closing the
   * backend does not change the result, although the stream is then unusable and its calls throw as
   * on a closed stream.
   */
  boolean isClosed();

  /**
   * Closes the stream without waiting; the driver releases it once its work is complete. Repeated
   * calls have no effect.
   */
  @Override
  void close();
}
