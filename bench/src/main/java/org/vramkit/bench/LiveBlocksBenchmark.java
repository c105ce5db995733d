package org.vramkit.bench;

import java.util.concurrent.TimeUnit;
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
 * Time of an allocation and a close by the number of live blocks, 10^3 to 10^6, at churn on one
 * thread. Sizes are 512 bytes to 64 KiB, so that a million blocks fit the device. The lower bound
 * accesses its slots in the same random order, so it includes the same CPU cache misses.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class LiveBlocksBenchmark {
  private static final long SEED = 1;
  private static final int SMALLEST_LOG2 = 9;
  private static final int LARGEST_LOG2 = 15;

  /** Number of live blocks. */
  @Param({"1000", "10000", "100000", "1000000"})
  public int live;

  private Stream stream;
  private Slots slots;

  /** Fills the slots. */
  @Setup(Level.Trial)
  public void open(Gpu gpu) {
    stream = gpu.createStream();
    Churn churn = new Churn(SEED, live, SMALLEST_LOG2, LARGEST_LOG2);
    slots = new Slots(churn, gpu.getAllocator(), stream);
  }

  /** Empties the slots. */
  @TearDown(Level.Trial)
  public void close(Gpu gpu) {
    slots.close();
    gpu.closeStream(stream);
  }

  /** Measures the allocator. */
  @Benchmark
  public long allocator() {
    return slots.replace();
  }

  /** Measures the lower bound. */
  @Benchmark
  public long limit() {
    return slots.replaceBare();
  }
}
