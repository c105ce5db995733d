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
 * Work divided over all GPUs of a Spark cluster. Needs {@link VramkitPlugin} and one GPU for each
 * task.
 *
 * <p>Two ways: {@link #run} makes four times as many partitions as there are GPUs, which Spark
 * gives to whichever is free, so that fast GPUs do more, and a lost executor's are done again.
 * {@link #runTogether} is one barrier stage, a task for each GPU, which tell each other what they
 * can do and divide the units by it; a lost executor repeats all of it.
 */
public final class SparkScatter {
  /** Partitions for each GPU, so that the last ones even out. */
  private static final int PARTITIONS_PER_GPU = 4;

  private SparkScatter() {}

  /**
   * Does the units from 0 on, in any order.
   *
   * @param gpus how many the cluster has, more than 0
   * @return results in the order of units
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
          "cannot scatter " + units + " units over " + gpus + " GPUs: negative, or no GPU");
    }
  }

  /** From and to for each score that gets something. */
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
   * Does the units from 0 on in one barrier stage: all GPUs at once, each by its score.
   *
   * @param gpus how many take part; the cluster must have them free at once
   * @param score what a device can do, asked on its executor; serializable, as a lambda of a static
   *     method is
   * @return results in the order of units; none of devices that had nothing to do
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

  /** One task of the barrier stage. */
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
   * The rows of an RDD on GPUs, in four times as many partitions as there are GPUs.
   *
   * @param gpus how many the cluster has, more than 0
   */
  public static <T, R> JavaRDD<R> map(JavaRDD<T> rows, int gpus, GpuMapper<T, R> mapper) {
    check(0, gpus);
    return rows.repartition(Math.multiplyExact(gpus, PARTITIONS_PER_GPU))
        .mapPartitions(part -> mapper.map(TaskGpu.get(), part));
  }

  /**
   * The rows of a Dataset on GPUs, in four times as many partitions as there are GPUs.
   *
   * @param gpus how many the cluster has, more than 0
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
