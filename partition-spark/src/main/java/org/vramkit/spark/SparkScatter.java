package org.vramkit.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.JavaSparkContext$;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.plan.Partitioner;
import org.vramkit.partition.plan.Tile;

/**
 * Divides work over all GPUs of a Spark cluster. Needs {@link VramkitPlugin} and one GPU per task.
 *
 * <p>{@link #run} creates four partitions per GPU. Spark assigns them to idle GPUs, so faster GPUs
 * process more, and only the partitions of a lost executor are repeated. {@link #runTogether} runs
 * one barrier stage with a task per GPU. The tasks exchange their scores and divide the units by
 * them; if an executor is lost, the whole stage is repeated.
 */
public final class SparkScatter {
  /** Partitions per GPU, for load balancing. */
  private static final int PARTITIONS_PER_GPU = 4;

  private SparkScatter() {}

  /**
   * Runs {@code units} units, from 0, in any order.
   *
   * @param gpus the number of GPUs of the cluster, more than 0
   * @return the results in the order of units
   */
  public static <R> List<R> run(JavaSparkContext context, long units, int gpus, GpuTask<R> task) {
    List<long[]> ranges = evenly(units, Math.multiplyExact(gpus, PARTITIONS_PER_GPU));
    if (ranges.isEmpty()) {
      return List.of();
    }
    return context
        .parallelize(ranges, ranges.size())
        .map(range -> perform(task, range[0], range[1]))
        .collect();
  }

  private static <R> R perform(GpuTask<R> task, long from, long to) throws Exception {
    TaskGpu gpu = TaskGpu.get();
    return task.run(gpu, new Tile(gpu.getDevice().getOrdinal(), from, to));
  }

  private static List<long[]> evenly(long units, int partitions) {
    check(units, partitions);
    double[] scores = new double[partitions];
    Arrays.fill(scores, 1);
    return ranges(units, scores);
  }

  private static void check(long units, int gpus) {
    if (units < 0 || gpus < 1) {
      throw new InvalidArgumentException(
          "cannot scatter "
              + units
              + " units over "
              + gpus
              + " GPUs; units must be 0 or more,"
              + " GPUs 1 or more");
    }
  }

  /** Divides the units by scores; returns the first unit and the end of each non-empty range. */
  private static List<long[]> ranges(long units, double[] scores) {
    long[] caps = new long[scores.length];
    Arrays.fill(caps, Long.MAX_VALUE);
    List<long[]> ranges = new ArrayList<>();
    long next = 0;
    for (long count : Partitioner.FASTEST_FINISH.divide(units, scores, caps)) {
      if (count > 0) {
        ranges.add(new long[] {next, next + count});
        next += count;
      }
    }
    return ranges;
  }

  /**
   * Runs {@code units} units, from 0, in one barrier stage: on all GPUs at once, divided by their
   * scores.
   *
   * @param gpus the number of GPUs, which must be free at the same time
   * @param score the score of a device, called on its executor; must be serializable, as a lambda
   *     in a static method is
   * @return the results in the order of units, without devices that got no units
   */
  public static <R> List<R> runTogether(
      JavaSparkContext context, long units, int gpus, GpuScore score, GpuTask<R> task) {
    check(units, gpus);
    List<Integer> places = IntStream.range(0, gpus).boxed().toList();
    return context
        .parallelize(places, gpus)
        .rdd()
        .barrier()
        .mapPartitions(
            new Together<>(units, score, task), false, JavaSparkContext$.MODULE$.<R>fakeClassTag())
        .toJavaRDD()
        .collect();
  }

  /** The function that each task of the barrier stage runs. */
  private static final class Together<R>
      extends scala.runtime.AbstractFunction1<
          scala.collection.Iterator<Integer>, scala.collection.Iterator<R>>
      implements java.io.Serializable {
    private static final long serialVersionUID = 1L;
    private final long units;
    private final GpuScore score;
    private final GpuTask<R> task;

    Together(long units, GpuScore score, GpuTask<R> task) {
      this.units = units;
      this.score = score;
      this.task = task;
    }

    @Override
    public scala.collection.Iterator<R> apply(scala.collection.Iterator<Integer> place) {
      BarrierTaskContext context = BarrierTaskContext.get();
      TaskGpu gpu = TaskGpu.get();
      String own = Double.toString(score.getScore(gpu.getDevice()));
      double[] scores =
          Arrays.stream(context.allGather(own)).mapToDouble(Double::parseDouble).toArray();
      long[] caps = new long[scores.length];
      Arrays.fill(caps, Long.MAX_VALUE);
      long[] counts = Partitioner.FASTEST_FINISH.divide(units, scores, caps);
      int index = context.partitionId();
      long from = Arrays.stream(counts, 0, index).sum();
      List<R> results = new ArrayList<>();
      if (counts[index] > 0) {
        Tile tile = new Tile(gpu.getDevice().getOrdinal(), from, from + counts[index]);
        try {
          results.add(task.run(gpu, tile));
        } catch (RuntimeException e) {
          throw e;
        } catch (Exception e) {
          throw new IllegalStateException("tile " + tile + " failed: " + e, e);
        }
      }
      return scala.jdk.javaapi.CollectionConverters.asScala(results.iterator());
    }
  }

  /**
   * Maps the rows of an RDD on GPUs, in four partitions per GPU.
   *
   * @param gpus the number of GPUs of the cluster, more than 0
   */
  public static <T, R> JavaRDD<R> map(JavaRDD<T> rows, int gpus, GpuMapper<T, R> mapper) {
    check(0, gpus);
    return rows.repartition(Math.multiplyExact(gpus, PARTITIONS_PER_GPU))
        .mapPartitions(part -> mapper.map(TaskGpu.get(), part));
  }

  /**
   * Maps the rows of a Dataset on GPUs, in four partitions per GPU.
   *
   * @param gpus the number of GPUs of the cluster, more than 0
   */
  public static <T, R> Dataset<R> map(
      Dataset<T> rows, int gpus, Encoder<R> encoder, GpuMapper<T, R> mapper) {
    check(0, gpus);
    return rows.repartition(Math.multiplyExact(gpus, PARTITIONS_PER_GPU))
        .mapPartitions(
            (org.apache.spark.api.java.function.MapPartitionsFunction<T, R>)
                part -> mapper.map(TaskGpu.get(), part),
            encoder);
  }
}
