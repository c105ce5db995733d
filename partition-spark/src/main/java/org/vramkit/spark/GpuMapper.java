package org.vramkit.spark;

import java.io.Serializable;
import java.util.Iterator;

/** A function that processes the rows of a partition on the GPU of a Spark task. */
@FunctionalInterface
public interface GpuMapper<T, R> extends Serializable {
  /**
   * Processes rows. Spark may run it again on another executor.
   *
   * @throws Exception any failure; Spark then retries the task
   */
  Iterator<R> map(TaskGpu gpu, Iterator<T> rows) throws Exception;
}
