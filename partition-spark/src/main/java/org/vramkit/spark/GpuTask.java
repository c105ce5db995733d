package org.vramkit.spark;

import java.io.Serializable;
import org.vramkit.partition.plan.Tile;

/** Work on a tile of the units on the GPU of a Spark task. */
@FunctionalInterface
public interface GpuTask<R> extends Serializable {
  /**
   * Works on units. Spark may run it again, elsewhere, so it must have no effect but its result.
   *
   * @param gpu of the task; its ordinal is the tile's
   * @param tile the units
   * @throws Exception whatever it likes; Spark then tries the task again
   */
  R run(TaskGpu gpu, Tile tile) throws Exception;
}
