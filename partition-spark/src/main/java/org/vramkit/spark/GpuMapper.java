package org.vramkit.spark;

import java.io.Serializable;
import java.util.Iterator;

/** Work on the rows of a partition on the GPU of a Spark task. */
@FunctionalInterface
public interface GpuMapper<T, R> extends Serializable {
  /**
   * Works on rows. Spark may run it again, elsewhere.
   *
   * @throws Exception whatever it likes; Spark then tries the task again
   */
  Iterator<R> map(TaskGpu gpu, Iterator<T> rows) throws Exception;
}
