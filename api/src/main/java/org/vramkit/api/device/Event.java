package org.vramkit.api.device;

/**
 * A marker in the work of a stream. Recording an event again replaces its marker. Waits issued
 * before still refer to the earlier marker. Safe for any thread.
 *
 * <p>Throws {@link org.vramkit.api.error.ClosedException} when used after close.
 */
public interface Event extends AutoCloseable {

  /** Returns the device of this event. */
  Device getDevice();

  /**
   * Marks the work submitted to {@code stream} so far. Does not block.
   *
   * @throws org.vramkit.api.error.InvalidArgumentException if {@code stream} belongs to another
   *     device
   */
  void record(Stream stream);

  /**
   * Returns whether all work before the last marker is complete; true if the event was never
   * recorded. Does not block.
   */
  boolean isComplete();

  /**
   * Blocks until all work before the last marker is complete. Returns at once if the event was
   * never recorded.
   */
  void synchronize();

  /** Releases the event. Waits already issued stay valid. Repeated calls have no effect. */
  @Override
  void close();
}
