package org.vramkit.api.device;

/**
 * Captured work that can be launched any number of times. It holds addresses, not memory: what it
 * uses has to be there with every launch. Safe for any thread.
 *
 * <p>Throws {@link org.vramkit.api.error.ClosedException} when used after close.
 */
public interface Graph extends AutoCloseable {

  /** The device of the stream where its capture began. */
  Device getDevice();

  /**
   * Submits all of its work. It runs after earlier work of the stream and after every earlier
   * launch of this graph, on whichever streams; what is submitted to the stream afterwards runs
   * after the whole graph. Does not block.
   *
   * @param stream of the graph's device; any, not only the one that was captured
   * @throws org.vramkit.api.error.CaptureException if the stream is captured now
   * @throws org.vramkit.api.error.InvalidArgumentException if the stream is another device's
   */
  void launch(Stream stream);

  /** Returns whether {@link #close} was called; no driver call. */
  boolean isClosed();

  /** Gives the graph back; launches under way go on. Harmless when repeated. */
  @Override
  void close();
}
