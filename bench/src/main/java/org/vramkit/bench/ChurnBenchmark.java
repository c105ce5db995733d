package org.vramkit.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.vramkit.api.device.Stream;

/**
 * A thousand live blocks of many sizes for each thread, a random one replaced at each step. Give
 * JMH {@code -t N} for N threads; {@code streams} says whether they share one.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class ChurnBenchmark {
  private static final AtomicInteger SEEDS = new AtomicInteger();

  /** {@code own} for a stream of each thread's own, {@code shared} for one stream of all. */
  @Param({"own", "shared"})
  public String streams;

  private Stream own;
  private Slots slots;

  /** Fills the slots. */
  @Setup(Level.Trial)
  public void open(Gpu gpu) {
    own = gpu.createStream();
    Stream stream = streams.equals("own") ? own : gpu.getSharedStream();
    slots = new Slots(new Churn(SEEDS.incrementAndGet()), gpu.getAllocator(), stream);
  }

  /** Empties them. */
  @TearDown(Level.Trial)
  public void close(Gpu gpu) {
    slots.close();
    gpu.closeStream(own);
  }

  /** The subject. */
  @Benchmark
  public long allocator() {
    return slots.replace();
  }

  /** The least. */
  @Benchmark
  public long limit() {
    return slots.replaceBare();
  }
}
