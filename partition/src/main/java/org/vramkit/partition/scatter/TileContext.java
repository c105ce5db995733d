package org.vramkit.partition.scatter;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.partition.plan.Tile;

/**
 * The resources of a tile's work. Used by one thread at a time: the tile's worker, then the thread
 * that called the scatter.
 */
public final class TileContext {
  private final Tile tile;
  private final int index;
  private final Device device;
  private final DeviceParts parts;
  private final Progress progress;
  private final OwnStream stream;
  private @Nullable Runnable afterWork;
  private @Nullable Consumer<Boolean> atEnd;

  /** All that was submitted is known to be done. */
  private boolean drained;

  /** Also read by threads that a task has let the tile out to. */
  private volatile boolean ended;

  TileContext(
      Tile tile, int index, Device device, DeviceParts parts, Progress progress, OwnStream stream) {
    this.tile = tile;
    this.index = index;
    this.device = device;
    this.parts = parts;
    this.progress = progress;
    this.stream = stream;
  }

  /** The units to work on: the planned tile, or a part of it where memory was short. */
  public Tile getTile() {
    return tile;
  }

  /**
   * Place of the planned tile in the order of units, from 0, or of a chunk in the order in which
   * chunks were dealt; for reductions in a fixed order. Parts of a tile that was halved share it.
   */
  public int getIndex() {
    return index;
  }

  /** The tile's device. */
  public Device getDevice() {
    return device;
  }

  /**
   * The device's allocator, from {@link ScatterBuilder#allocators}.
   *
   * @throws IllegalStateException if the scatter was given none, or null for this device
   */
  public Allocator getAllocator() {
    return parts.allocator(device);
  }

  /**
   * The device's workspace, from {@link ScatterBuilder#workspaces}.
   *
   * @throws IllegalStateException if the scatter was given none, or null for this device
   */
  public Workspace getWorkspace() {
    return parts.workspace(device);
  }

  /**
   * A stream that no other tile uses at the same time; made by the first call, waited for and
   * closed by the scatter. A device's chunks share two in turn.
   *
   * @throws ClosedException once the scatter has done so, if a task kept the tile beyond its end
   */
  public Stream getStream() {
    if (ended) {
      throw new ClosedException(
          "the context of tile " + tile,
          "its streams would never be closed",
          "use it in its task only");
    }
    return stream.get(tile);
  }

  /**
   * Returns whether the scatter has failed elsewhere or was interrupted; long work should look and
   * end.
   */
  public boolean isCancelled() {
    return progress.isCancelled();
  }

  /** Adds a step to run once the tile's work on its device is done, before it counts. */
  void afterWork(Runnable step) {
    afterWork = step;
  }

  /** Waits for the tile's work on its device. */
  void finish() {
    finish(Pace.REAL);
  }

  void finish(Pace pace) {
    drain(pace);
    Runnable last = afterWork;
    afterWork = null;
    if (last != null) {
      last.run();
    }
  }

  /** Waits for the tile's work on its device, and does nothing after it. */
  void drain(Pace pace) {
    drained = false;
    Stream own = stream.made();
    if (own != null) {
      pace.await(own);
    }
    drained = true;
  }

  /**
   * Adds a step to run when the tile has ended, with or without a failure.
   *
   * @param step receives whether all of its work is known to be done
   */
  void atEnd(Consumer<Boolean> step) {
    atEnd = step;
  }

  /** The tile is over; the stream is another's from now on. */
  void end() {
    ended = true;
    Consumer<Boolean> last = atEnd;
    atEnd = null;
    if (last != null) {
      last.accept(drained);
    }
  }

  /** Gives the stream back, and makes no other; the work goes on if it was not waited for. */
  void close() {
    Batch.run(this::end, stream::close);
  }
}
