package org.vramkit.examples.transformer;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.api.device.Stream;

/**
 * Every place where the program orders the streams of a device by itself. The simulator's checker
 * finds each of them that is missing: a test switches them off, one at a time, by overriding {@link
 * #isKept}.
 */
class Order implements AutoCloseable {
  /** Why one stream waits for another, or a use is recorded. */
  enum Point {
    /** The loss reads targets that another stream copies. */
    TARGETS_COPIED,
    /** The copy of the loss to the host reads it. */
    LOSS_READY,
    /** The block of the loss is reused, which another stream copies. */
    LOSS_USED,
    /** The gradient of a weight is computed from the gradient of an output. */
    GRADIENT_READY,
    /** The block of the left factor is reused, from which the gradient of a weight is computed. */
    LEFT_USED,
    /** The block of the right factor is reused, likewise. */
    RIGHT_USED,
    /** The gradients of all weights are used. */
    WEIGHTS_DONE,
    /** The scatter waits for the gradients of its tile. */
    TILE_DONE,
    /** The scatter waits for the loss of its tile. */
    LOSS_COPIED,
    /** The gradients of a device are overwritten, which the others read. */
    PEERS_DONE
  }

  private final Event event;

  Order(Device device) {
    event = device.createEvent();
  }

  /** Returns whether a point orders; {@code where} names the layer or the device. */
  boolean isKept(Point point, String where) {
    return true;
  }

  /** Makes a stream wait for all work of a stream of this device so far. */
  final void makeWait(Point point, String where, Stream waiting, Stream done) {
    if (isKept(point, where)) {
      event.record(done);
      waiting.waitFor(event);
    }
  }

  /** Records that a stream uses memory of another. */
  final void recordUse(Point point, String where, MemoryArgument memory, Stream stream) {
    if (isKept(point, where)) {
      memory.recordUse(stream);
    }
  }

  @Override
  public void close() {
    event.close();
  }
}
