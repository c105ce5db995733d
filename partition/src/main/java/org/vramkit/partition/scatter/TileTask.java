package org.vramkit.partition.scatter;

/** What is done with a tile on its device. */
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
}
