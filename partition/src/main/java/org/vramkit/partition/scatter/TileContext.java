package org.vramkit.partition.scatter;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.partition.plan.Tile;

/**
 * The units and resources of a task. Only one thread at a time uses a context: first the tile's
 * worker, then the thread that called the scatter.
 */
public final class TileContext {
  private final Tile tile;
  private final int index;
  private final Device device;
  private final TileResources parts;
  private final Progress progress;
  private final LazyStream stream;
  private @Nullable Runnable afterWork;
  private @Nullable Consumer<Boolean> atEnd;

  /** True if all submitted work is known to be complete. */
  private boolean drained;

  /** Volatile because a task may have passed the tile to other threads. */
  private volatile boolean ended;

  TileContext(
      Tile tile,
      int index,
      Device device,
      TileResources parts,
      Progress progress,
      LazyStream stream) {
    this.tile = tile;
    this.index = index;
    this.device = device;
    this.parts = parts;
    this.progress = progress;
    this.stream = stream;
  }

  /** Returns the units to process: the planned tile, or a part of it if memory was short. */
  public Tile getTile() {
    return tile;
  }

  /**
   * Returns the index of the planned tile in the order of units, or of the chunk in the order of
   * assignment, from 0. Use it for reductions in a fixed order. The parts of a halved tile share
   * its index.
   */
  public int getIndex() {
    return index;
  }

  /** Returns the device. */
  public Device getDevice() {
    return device;
  }

  /**
   * Returns the device's allocator, from {@link ScatterBuilder#allocators}.
   *
   * @throws IllegalStateException if the scatter has none for this device
   */
  public Allocator getAllocator() {
    return parts.allocator(device);
  }

  /**
   * Returns the device's workspace, from {@link ScatterBuilder#workspaces}.
   *
   * @throws IllegalStateException if the scatter has none for this device
   */
  public Workspace getWorkspace() {
    return parts.workspace(device);
  }

  /**
   * Returns a stream that no other tile uses at the same time. The first call creates the stream.
   * The scatter waits for it and closes it. The tiles of a device use one stream after another; its
   * chunks use two in turn.
   *
   * @throws ClosedException if a task kept this context beyond the end of its tile, and the scatter
   *     has closed the stream
   */
  public Stream getStream() {
    if (ended) {
      throw new ClosedException(
          "the context of tile " + tile,
          "a stream created now would never be closed",
          "use it only inside its task");
    }
    return stream.get(tile);
  }

  /**
   * Returns whether the scatter has failed or was interrupted. Long tasks should check this and
   * return.
   */
  public boolean isCancelled() {
    return progress.isCancelled();
  }

  /**
   * Sets a step that takes the results over when the tile's device work is complete: under a guided
   * schedule before the chunk counts as done, under a planned one once the tile is done, or all
   * tiles if there is a CPU task.
   */
  void afterWork(Runnable step) {
    afterWork = step;
  }

  /** Runs the {@link #afterWork} step, after {@link #drain}. */
  void takeResults() {
    Runnable last = afterWork;
    afterWork = null;
    if (last != null) {
      last.run();
    }
  }

  /** Blocks until the tile's device work is complete. */
  void drain(ScatterClock clock) {
    drained = false;
    Stream own = stream.made();
    if (own != null) {
      clock.await(own);
    }
    drained = true;
  }

  /**
   * Sets a step to run when the tile has ended, with or without a failure.
   *
   * @param step receives whether all device work is known to be complete
   */
  void atEnd(Consumer<Boolean> step) {
    atEnd = step;
  }

  /** Ends the tile; its stream may be used for other tiles from now on. */
  void end() {
    ended = true;
    Consumer<Boolean> last = atEnd;
    atEnd = null;
    if (last != null) {
      last.accept(drained);
    }
  }
}
