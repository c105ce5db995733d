package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.partition.plan.Tile;

/** Creates the stream of a tile or a lane on first use. */
final class LazyStream {
  private final Device device;

  /** Guarded by this, because a task may have passed its tile to another thread. */
  private @Nullable Stream stream;

  /** Guarded by this. */
  private boolean closed;

  LazyStream(Device device) {
    this.device = device;
  }

  synchronized Stream get(Tile tile) {
    if (closed) {
      throw new ClosedException(
          "the context of tile " + tile,
          "a stream created now would never be closed",
          "use it only inside its task");
    }
    Stream own = stream;
    if (own == null) {
      own = device.createStream();
      stream = own;
    }
    return own;
  }

  /** Returns the stream; null if it was not created or is closed. */
  synchronized @Nullable Stream made() {
    return stream;
  }

  /** Closes the stream, without waiting for its work, and refuses to create another. */
  synchronized void close() {
    closed = true;
    Stream own = stream;
    if (own != null) {
      stream = null;
      own.close();
    }
  }
}
