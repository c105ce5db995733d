package org.vramkit.pool.support;

import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;

/**
 * A moment of a stream: all work that was submitted to it before. Memory that waits for streams
 * waits for some of these.
 *
 * @param clock of the stream
 * @param epoch the epoch that the moment belongs to
 */
public record StreamPoint(StreamProgress clock, long epoch) {

  /** The stream. */
  public Stream stream() {
    return clock.stream();
  }

  /** Tells whether the stream is known to have passed; asks no driver. */
  public boolean hasPassed() {
    return clock.settled() >= epoch;
  }

  /** Makes another stream wait, as {@link StreamProgress#orderBefore}. */
  public void orderBefore(Stream next) {
    clock.orderBefore(next, epoch);
  }

  /** Waits on the host; not for a stream that may not be waited for, because of a capture. */
  public void await() {
    clock.awaitEpoch(epoch);
  }

  /** Does the same, and leaves out what only the whole device of a closed stream can tell. */
  public void awaitIfOpen() {
    clock.awaitEpochIfOpen(epoch);
  }

  /**
   * Waits on the host.
   *
   * @throws CaptureException if the stream cannot be waited for because of a capture
   */
  public void awaitNow() {
    await();
    if (!hasPassed()) {
      throw new CaptureException(
          "cannot wait for "
              + stream()
              + (stream().isClosed() ? ", which is closed," : "")
              + " while a capture is under way; try again after its end");
    }
  }
}
