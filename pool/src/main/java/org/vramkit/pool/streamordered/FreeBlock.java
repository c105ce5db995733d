package org.vramkit.pool.streamordered;

import java.util.List;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;

/**
 * A block that its user has closed.
 *
 * @param address its first byte
 * @param bytes its size
 * @param stream the stream that it belonged to
 * @param freed the point of the free on that stream and on the recorded ones; empty when the device
 *     had passed them already
 * @param ownUseOnly whether no other stream was recorded
 * @param freedAtNanos the time of the free on the pool's clock
 */
record FreeBlock(
    long address,
    long bytes,
    Stream stream,
    List<Event> freed,
    boolean ownUseOnly,
    long freedAtNanos) {

  /** Whether it was freed before a time of the pool's clock, which may wrap. */
  boolean isOlderThan(long nanos) {
    return freedAtNanos - nanos < 0;
  }

  /** Whether the device has passed the free; asks the driver. */
  boolean isSettled() {
    return freed.stream().allMatch(Event::isComplete);
  }

  /** Makes a stream wait for the free. */
  void orderBefore(Stream next) {
    freed.forEach(next::waitFor);
  }

  /** Waits on the host for the free. */
  void await() {
    freed.forEach(Event::synchronize);
  }

  /** Gives the events back; waits issued on them stay valid. */
  void forgetEvents() {
    freed.forEach(Event::close);
  }
}
