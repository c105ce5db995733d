package org.vramkit.spark.examples;

import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.spark.GpuTask;
import org.vramkit.spark.SparkScatter;

/** Fills memory on every GPU of a Spark cluster; {@code spark-submit} gives the configuration. */
public final class FillOnCluster {
  private FillOnCluster() {}

  /** Runs on the cluster that {@code spark-submit} names. */
  public static void main(String[] arguments) {
    SparkConf conf = new SparkConf().setAppName("fill");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      GpuTask<String> fill =
          (gpu, tile) -> {
            try (Allocation memory = gpu.getAllocator().allocate(1 << 20, gpu.getStream())) {
              gpu.getStream().fill(memory.getAddress(), (byte) 1, memory.getSize());
            }
            return tile.toString();
          };
      List<String> tiles = SparkScatter.run(context, 4096, 4, fill);
      tiles.forEach(System.out::println);
    }
  }
}
