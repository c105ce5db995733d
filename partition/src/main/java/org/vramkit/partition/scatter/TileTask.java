package org.vramkit.partition.scatter;

import java.util.Objects;

/** A task that processes a tile on its device. */
@FunctionalInterface
public interface TileTask {

  /**
   * Processes the units of a tile. Runs on the worker thread of the tile's device. The scatter
   * waits for work that the task submits to the tile's stream. Because a tile may be repeated, on
   * the CPU or in smaller tiles, the task must write only the results of its units and must not
   * modify its input.
   *
   * @throws Exception any failure; it ends the scatter, which throws it
   */
  void run(TileContext tile) throws Exception;

  /**
   * Returns whether two devices may process the same units, even concurrently, with a correct
   * result. If so, overdue chunks of units can be reassigned.
   */
  default boolean isRepeatable() {
    return false;
  }

  /** Returns the task, marked as {@linkplain #isRepeatable repeatable}. */
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
