package org.vramkit.api.device;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * A queue of work on one device. Work on one stream runs in the order it was submitted; between
 * streams only events order it. Safe for any thread; the order in which two threads submit is
 * theirs to arrange.
 *
 * <p>Every call that submits work throws {@link org.vramkit.api.error.ClosedException} on a closed
 * stream, {@link org.vramkit.api.error.InvalidArgumentException} on a range that is negative, and
 * {@link org.vramkit.api.error.FatalDeviceException} once the process's CUDA is lost. Two objects
 * for one stream of the driver are equal.
 */
public interface Stream extends AutoCloseable {

  /** The device it belongs to. */
  Device getDevice();

  /** The driver's raw handle; 0 is the default stream. */
  long getHandle();

  /** The name it was {@linkplain Device#createStream(String) made with}; empty for none. */
  default String getName() {
    return "";
  }

  /** Returns whether this is the legacy default stream, which cannot be closed. */
  default boolean isDefault() {
    return getHandle() == 0;
  }

  /** Makes work submitted from now on wait for what the event last recorded. Does not block. */
  void waitFor(Event event);

  /** Returns whether everything submitted so far is done; a driver call that does not block. */
  boolean isIdle();

  /** Blocks until everything submitted so far is done. */
  void synchronize();

  /**
   * Completes once everything submitted so far is done.
   *
   * @param executor runs the blocking wait
   */
  default CompletionStage<Void> synchronizeAsync(Executor executor) {
    return CompletableFuture.runAsync(this::synchronize, executor);
  }

  /**
   * Submits a fill of device memory.
   *
   * @param address first byte
   * @param value what every byte is set to
   * @param bytes how many; 0 does nothing
   */
  void fill(long address, byte value, long bytes);

  /**
   * Submits a copy within the device, or from a device that this one may access.
   *
   * @param target first byte written
   * @param source first byte read
   * @param bytes how many; 0 does nothing
   */
  void copy(long target, long source, long bytes);

  /**
   * Copies the remaining bytes of a buffer to the device. The buffer may be reused when the call
   * returns: pageable memory is staged. Its position does not move.
   *
   * @param target first device byte written
   * @param source where the bytes come from, heap or direct
   */
  void copyToDevice(long target, ByteBuffer source);

  /**
   * Fills the remaining bytes of a buffer from the device. Blocks until the bytes are there. Its
   * position does not move.
   *
   * @param target where the bytes go, heap or direct
   * @param source first device byte read
   */
  void copyToHost(ByteBuffer target, long source);

  /**
   * Submits a copy from page-locked memory. Does not block: the buffer must be left alone until
   * this stream has passed the copy.
   *
   * @param target first device byte written
   * @param source where the bytes come from
   * @param offset first byte of the buffer
   * @param bytes how many; 0 does nothing
   */
  void copyToDevice(long target, PinnedBuffer source, long offset, long bytes);

  /**
   * Submits a copy to page-locked memory. Does not block: the bytes are there once this stream has
   * passed the copy.
   *
   * @param target where the bytes go
   * @param offset first byte of the buffer
   * @param source first device byte read
   * @param bytes how many; 0 does nothing
   */
  void copyToHost(PinnedBuffer target, long offset, long source, long bytes);

  /**
   * Returns whether {@link #close} was called; no driver call, and no error on a closed stream.
   * Says nothing of the backend: stays false for a stream that is still open when that closes,
   * though a real one is gone then, and calls are refused as on a closed stream.
   */
  boolean isClosed();

  /** Gives the stream back once its work is done; does not wait. Harmless when repeated. */
  @Override
  void close();
}
