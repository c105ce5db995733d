package org.vramkit.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;

/** Checks the GPU settings of a Spark configuration. */
final class GpuConf {
  static final String GPU = "gpu";
  static final String FRACTION = "spark.vramkit.memoryFraction";
  static final String TASK_MEMORY = "spark.vramkit.taskMemory";
  private static final double DEFAULT_FRACTION = 0.9;
  private static final String EXECUTOR_GPUS = "spark.executor.resource.gpu.amount";
  private static final String TASK_GPUS = "spark.task.resource.gpu.amount";
  private static final String RAPIDS = "com.nvidia.spark.SQLPlugin";
  private static final String RAPIDS_POOL = "spark.rapids.memory.gpu.pool";
  private static final String RAPIDS_FRACTION = "spark.rapids.memory.gpu.allocFraction";

  private GpuConf() {}

  /**
   * Returns the share of a GPU's memory that an executor's allocator may use for all of its tasks.
   */
  static double fraction(SparkConf conf) {
    double fraction = conf.getDouble(FRACTION, DEFAULT_FRACTION);
    if (!(fraction > 0 && fraction <= 1)) {
      throw new IllegalArgumentException(
          FRACTION + " is " + fraction + "; it must be more than 0 and at most 1");
    }
    return fraction;
  }

  /** Returns the bytes that a task is granted before it allocates; 0 if not set. */
  static long taskMemory(SparkConf conf) {
    if (!conf.contains(TASK_MEMORY)) {
      return 0;
    }
    long bytes = conf.getSizeAsBytes(TASK_MEMORY);
    if (bytes < 1) {
      throw new IllegalArgumentException(
          TASK_MEMORY
              + " is "
              + conf.get(TASK_MEMORY)
              + "; set it to the maximum GPU memory of a task, such as 8g, or remove it");
    }
    return bytes;
  }

  /**
   * Rejects settings that would hang or fail later.
   *
   * @throws IllegalArgumentException with the reason and the remedy
   */
  static void check(SparkConf conf) {
    String master = conf.get("spark.master", "");
    boolean local = master.equals("local") || master.startsWith("local[");
    List<String> set = new ArrayList<>();
    for (String key : List.of(EXECUTOR_GPUS, TASK_GPUS)) {
      if (conf.contains(key)) {
        set.add(key);
      }
    }
    if (local && !set.isEmpty()) {
      throw new IllegalArgumentException(
          "master "
              + master
              + " with "
              + String.join(" and ", set)
              + " hangs in Spark itself: local mode has no executor with a GPU, so tasks wait for"
              + " one forever; use local-cluster[n,cores,memory] or a cluster, or remove these"
              + " settings");
    }
    checkRapids(conf);
  }

  private static void checkRapids(SparkConf conf) {
    boolean rapids = List.of(conf.get("spark.plugins", "").split("\\s*,\\s*")).contains(RAPIDS);
    if (!rapids || conf.get(RAPIDS_POOL, "ASYNC").equalsIgnoreCase("NONE")) {
      return;
    }
    double theirs = conf.getDouble(RAPIDS_FRACTION, 1);
    double ours = fraction(conf);
    if (theirs + ours > 1) {
      throw new IllegalArgumentException(
          "spark-rapids takes "
              + theirs
              + " of each GPU's memory ("
              + RAPIDS_FRACTION
              + ") and Vramkit "
              + ours
              + " ("
              + FRACTION
              + "); set both so that their sum is at most 1");
    }
  }
}
