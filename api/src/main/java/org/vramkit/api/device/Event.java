package org.vramkit.api.device;

/**
 * A mark in a stream. Recording again replaces the earlier mark; a wait issued before that keeps
 * the mark it saw. Safe for any thread.
 *
 * <p>Throws {@link org.vramkit.api.error.ClosedException} when used after close.
 */
public interface Event extends AutoCloseable {

  /** The device it belongs to. */
  Device getDevice();

  /**
   * Marks everything submitted to the stream so far. Does not block.
   *
   * @throws org.vramkit.api.error.InvalidArgumentException if the stream is another device's
   */
  void record(Stream stream);

  /**
   * Returns whether all work before the last mark is done; true if never recorded. Does not block.
   */
  boolean isComplete();

  /** Blocks until all work before the last mark is done; at once if never recorded. */
  void synchronize();

  /** Gives the event back; waits already issued on it stay valid. Harmless when repeated. */
  @Override
  void close();
}
