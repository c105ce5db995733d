package org.vramkit.api.device;

/**
 * Captures work of streams into graphs, as {@code cuStreamBeginCapture} does. Safe for any thread,
 * but a capture belongs to the thread that began it.
 *
 * <p>While a stream is captured, work submitted to it does not run but becomes part of a {@link
 * Graph}. Another stream joins the capture when it waits for an event that was recorded in the
 * capture. Before the capture ends, the stream where it began must wait for an event recorded after
 * the last work of each joined stream.
 *
 * <p>A capture accepts kernels, fills, copies on devices, copies from and to page-locked memory,
 * records of events and waits for them. Other calls throw {@link
 * org.vramkit.api.error.CaptureException}, whose message names the call, the reason and the remedy:
 *
 * <ul>
 *   <li>waiting for a captured stream, querying whether it is idle, and copies from and to buffers
 *       that are not page-locked, because these copies block;
 *   <li>waiting for the device, and waiting for or querying an event that was last recorded in a
 *       capture;
 *   <li>waiting in a captured stream for an event that was recorded outside of the capture;
 *   <li>allocation and free in the order of a captured stream, and launching a graph on a captured
 *       stream;
 *   <li>capturing the default stream, and any use of it while a {@link StreamKind#BLOCKING} stream
 *       is captured;
 *   <li>calls by the capturing thread that allocate or free plain or page-locked memory, because
 *       launches do not repeat these calls. {@link #relax} allows them.
 * </ul>
 *
 * <p>A refused call may invalidate the capture. {@link #endCapture} must be called even then, and
 * throws an exception.
 */
public interface Graphs {

  /** A scope in which the calling thread may make calls that its capture would refuse. */
  @FunctionalInterface
  interface Relaxation extends AutoCloseable {

    /** Ends the scope. Called once, by the thread that began it. */
    @Override
    void close();
  }

  /**
   * Begins to capture {@code stream} on the calling thread.
   *
   * @param stream a stream of this device, not the default stream
   * @throws org.vramkit.api.error.CaptureException if {@code stream} cannot be captured or is being
   *     captured
   */
  void beginCapture(Stream stream);

  /**
   * Ends a capture. Only the thread that began the capture may end it.
   *
   * @param stream the stream where the capture began
   * @return the captured graph, for the caller to close
   * @throws org.vramkit.api.error.CaptureException if no capture began on {@code stream}, a stream
   *     was not joined, or an earlier call invalidated the capture; in the last two cases the
   *     capture has ended
   */
  Graph endCapture(Stream stream);

  /**
   * Returns whether {@code stream} is being captured by any thread. Makes a driver call that does
   * not block.
   */
  boolean isCapturing(Stream stream);

  /**
   * Returns whether a capture that this backend began on the device is in progress. Makes no driver
   * call.
   */
  boolean isAnyCapturing();

  /**
   * Returns whether a stream of this device is captured: a capture that this backend began on the
   * device is in progress, or a stream of it has joined one of another device. A wait for the
   * device would invalidate that capture. Makes no driver call.
   */
  default boolean isAnyCaptured() {
    return isAnyCapturing();
  }

  /**
   * Returns whether a graph with captured work of this device's streams is open. An open graph may
   * be launched again and would use the memory that it was captured with. Makes no driver call.
   */
  boolean hasOpenGraphs();

  /**
   * Allows the capturing thread to allocate and free memory until the scope is closed. Meant for
   * allocators, which keep their memory allocated during all launches.
   */
  Relaxation relax();

  /**
   * Adds a listener for captures of this device's streams, where this backend began the capture or
   * made the stream join it. The listener is called before a first stream is captured, and after
   * the last capture has ended. It must not call the device.
   */
  void addCaptureListener(Runnable listener);

  /** Removes a listener. Has no effect if the listener was not added. */
  void removeCaptureListener(Runnable listener);
}
