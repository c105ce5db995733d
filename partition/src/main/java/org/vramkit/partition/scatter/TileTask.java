package org.vramkit.partition.scatter;

import java.util.Objects;

/** Work on a tile on its device. */
@FunctionalInterface
public interface TileTask {

  /**
   * Works on the units of a tile. Runs on the worker thread of the tile's device. Work that it
   * submits to the tile's stream is waited for after it returns. To be run again, on the CPU or on
   * smaller tiles, it must write only what belongs to its units, and leave its input alone.
   *
   * @throws Exception whatever it likes; such a failure ends the scatter and is thrown by it
   */
  void run(TileContext tile) throws Exception;

  /**
   * Returns whether two devices may do the same units, even at the same time, and the result is
   * right: so a chunk that is overdue need not be waited for.
   */
  default boolean isRepeatable() {
    return false;
  }

  /** The same task, which says that it may be done twice. */
  static TileTask repeatable(TileTask task) {
    Objects.requireNonNull(task, "task");
    return new TileTask() {
      @Override
      public void run(TileContext tile) throws Exception {
        task.run(tile);
      }

      @Override
      public boolean isRepeatable() {
        return true;
      }
    };
  }
}
