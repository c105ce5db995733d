package org.vramkit.api.device;

/**
 * Captures work once, so that it can be launched often, as {@code cuStreamBeginCapture}. Safe for
 * any thread; a capture belongs to the thread that began it.
 *
 * <p>While a stream is captured, work submitted to it does not run: it becomes part of a {@link
 * Graph}. Another stream that waits for an event recorded in the capture is captured as well, until
 * the end; before that the stream where the capture began has to wait for an event recorded behind
 * the other's last work.
 *
 * <p>Captured are kernels, fills, copies on devices, copies from and to page-locked memory, records
 * of events and waits for them. What cannot be captured throws {@link
 * org.vramkit.api.error.CaptureException}, which names the call, the reason and the remedy:
 *
 * <ul>
 *   <li>waiting for a stream that is captured, asking whether it is idle, and copies from and to
 *       buffers that are not page-locked, because they wait;
 *   <li>waiting for an event that was last recorded in a capture, or asking it; waiting for its
 *       device;
 *   <li>waiting in a captured stream for an event that was recorded outside of the capture;
 *   <li>allocation and free in the order of a captured stream, and launching a graph on one;
 *   <li>the default stream, and any use of it while a {@link StreamKind#BLOCKING} stream is
 *       captured;
 *   <li>calls by the capturing thread that take or give back plain or page-locked memory: they
 *       happen at once, and not again with each launch. A {@link #relax} allows them.
 * </ul>
 *
 * <p>A refused call may have spoilt the capture. Its end says so then, and has to be called
 * nevertheless.
 */
public interface Graphs {

  /** A time in which the calling thread may make calls that are no part of its capture. */
  @FunctionalInterface
  interface Relaxation extends AutoCloseable {

    /** Ends it, by the thread that began it; once. */
    @Override
    void close();
  }

  /**
   * Begins to capture a stream, on the calling thread.
   *
   * @param stream of this device, and not its default stream
   * @throws org.vramkit.api.error.CaptureException if the stream cannot be captured, or is already
   */
  void beginCapture(Stream stream);

  /**
   * Ends a capture; by the thread that began it.
   *
   * @param stream where the capture began
   * @return what was captured, ready to be launched; the caller closes it
   * @throws org.vramkit.api.error.CaptureException if no capture began there, a stream was not
   *     joined, or an earlier call has spoilt the capture; but for the first, it has ended then too
   */
  Graph endCapture(Stream stream);

  /**
   * Returns whether a stream is captured now, by whichever thread; a driver call that does not
   * block.
   */
  boolean isCapturing(Stream stream);

  /**
   * Returns whether any capture is under way that this backend began on the device; no driver call.
   */
  boolean isAnyCapturing();

  /**
   * Returns whether any graph is open that was captured here: it may be launched again, and would
   * use the memory that it was captured with. No driver call.
   */
  boolean hasOpenGraphs();

  /**
   * Allows the calling thread, while it captures, to take and give back memory: for allocators,
   * whose memory is there for all launches.
   */
  Relaxation relax();

  /**
   * Has a listener called whenever the first capture of this backend on this device begins, before
   * it does, and when the last one has ended. It must not call the device.
   */
  void addCaptureListener(Runnable listener);

  /** Forgets a listener; harmless if it is none. */
  void removeCaptureListener(Runnable listener);
}
