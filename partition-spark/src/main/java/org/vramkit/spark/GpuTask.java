package org.vramkit.spark;

import java.io.Serializable;
import org.vramkit.partition.plan.Tile;

/** A function that processes a tile of units on the GPU of a Spark task. */
@FunctionalInterface
public interface GpuTask<R> extends Serializable {
  /**
   * Processes units. Must have no side effects, because Spark may run it again on another executor.
   *
   * @param gpu the GPU of the task, whose ordinal is the tile's
   * @param tile the units
   * @throws Exception any failure; Spark then retries the task
   */
  R run(TaskGpu gpu, Tile tile) throws Exception;
}
