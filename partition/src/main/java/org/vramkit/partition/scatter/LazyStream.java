package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.partition.plan.Tile;

/** A stream of a tile's or a lane's own, made when it is first wanted. */
final class OwnStream {
  private final Device device;

  /** Guarded by this, as a task may have let its tile out to another thread. */
  private @Nullable Stream stream;

  /** Guarded by this. */
  private boolean closed;

  OwnStream(Device device) {
    this.device = device;
  }

  synchronized Stream get(Tile tile) {
    if (closed) {
      throw new ClosedException(
          "the context of tile " + tile,
          "its streams would never be closed",
          "use it in its task only");
    }
    Stream own = stream;
    if (own == null) {
      own = device.createStream();
      stream = own;
    }
    return own;
  }

  /** The stream, if it was wanted. */
  synchronized @Nullable Stream made() {
    return stream;
  }

  /** Gives it back, and makes no other; work goes on if it was not waited for. */
  synchronized void close() {
    closed = true;
    Stream own = stream;
    if (own != null) {
      stream = null;
      own.close();
    }
  }
}
