package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.partition.plan.Tile;

/**
 * What a tile's work has at hand. Used by one thread at a time: the tile's worker, then the thread
 * that called the scatter.
 */
public final class TileContext {
  private final Tile tile;
  private final int index;
  private final Device device;
  private final Progress progress;

  /** Guarded by this tile, as a task may have let it out to another thread. */
  private @Nullable Stream stream;

  /** Guarded by this tile. */
  private boolean closed;

  TileContext(Tile tile, int index, Device device, Progress progress) {
    this.tile = tile;
    this.index = index;
    this.device = device;
    this.progress = progress;
  }

  /** The units to work on: the planned tile, or a part of it where memory was short. */
  public Tile getTile() {
    return tile;
  }

  /** Place of the planned tile in the order of units, from 0; for reductions in a fixed order. */
  public int getIndex() {
    return index;
  }

  /** The tile's device. */
  public Device getDevice() {
    return device;
  }

  /**
   * A stream of this tile's own; made by the first call, waited for and closed by the scatter.
   *
   * @throws ClosedException once the scatter has done so, if a task kept the tile beyond its end
   */
  public synchronized Stream getStream() {
    if (closed) {
      throw new ClosedException(
          "tile " + tile + " has ended; use it in its task only, as nobody would close the stream");
    }
    Stream own = stream;
    if (own == null) {
      own = device.createStream();
      stream = own;
    }
    return own;
  }

  /** Whether the scatter has failed elsewhere or was interrupted; long work should look and end. */
  public boolean isCancelled() {
    return progress.isCancelled();
  }

  /** Waits for the tile's work on its device. */
  void finish() {
    Stream own;
    synchronized (this) {
      own = stream;
    }
    if (own != null) {
      own.synchronize();
    }
  }

  /** Gives the stream back, and makes no other; the work goes on if it was not waited for. */
  synchronized void close() {
    closed = true;
    Stream own = stream;
    if (own != null) {
      stream = null;
      own.close();
    }
  }
}
