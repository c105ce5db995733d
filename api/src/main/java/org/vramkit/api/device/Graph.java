package org.vramkit.api.device;

/**
 * Captured work that can be launched any number of times. A graph refers to memory by address and
 * does not keep it allocated, so the memory must be allocated during every launch. Safe for any
 * thread.
 *
 * <p>Throws {@link org.vramkit.api.error.ClosedException} when used after close.
 */
public interface Graph extends AutoCloseable {

  /** Returns the device of the stream where the capture began. */
  Device getDevice();

  /**
   * Submits the graph's work. It runs after earlier work of {@code stream} and after every earlier
   * launch of this graph on any stream. Work submitted to {@code stream} afterwards runs after the
   * whole graph. Does not block.
   *
   * @param stream any stream of the graph's device, not only the captured one
   * @throws org.vramkit.api.error.CaptureException if {@code stream} is being captured
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code stream} belongs to another
   *     device
   */
  void launch(Stream stream);

  /** Returns whether {@link #close} was called. Makes no driver call. */
  boolean isClosed();

  /** Releases the graph. Launches in progress continue. Repeated calls have no effect. */
  @Override
  void close();
}
