package org.vramkit.pool.support;

import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;

/**
 * A point of a stream: the end of all work submitted up to an epoch. Freed memory waits for points.
 */
public record StreamPoint(StreamProgress clock, long epoch) {

  public Stream stream() {
    return clock.stream();
  }

  /** Returns whether the stream is known to have passed this point. Calls no driver. */
  public boolean hasPassed() {
    return clock.settled() >= epoch;
  }

  /** Makes another stream wait for this point; see {@link StreamProgress#orderBefore}. */
  public void orderBefore(Stream next) {
    clock.orderBefore(next, epoch);
  }

  /** Waits on the host for this point; see {@link StreamProgress#awaitEpoch}. */
  void await(boolean evenIfClosed) {
    clock.awaitEpoch(epoch, evenIfClosed);
  }

  /**
   * Waits on the host for this point, or fails.
   *
   * @throws CaptureException if a capture forbids to wait for the stream
   */
  public void awaitNow() {
    await(/* evenIfClosed= */ true);
    if (!hasPassed()) {
      throw new CaptureException(
          "cannot wait for "
              + stream()
              + (stream().isClosed() ? ", which is closed," : "")
              + " while a capture is in progress; try again after its end");
    }
  }
}
