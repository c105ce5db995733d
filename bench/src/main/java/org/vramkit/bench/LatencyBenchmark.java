package org.vramkit.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Percentiles of the time of one allocation or close under the churn workload of {@link
 * ChurningThread}.
 *
 * <p>JMH times random samples, each including about 25 ns for the clock. The tail of the lower
 * bound shows the machine's own disturbances: interrupts, preemption, safepoints. The warm-up is
 * long for the reason given in {@link ChurnBenchmark}.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LatencyBenchmark extends ChurningThread {
  /** Measures the allocator. */
  @Benchmark
  public long allocator() {
    return slots().half();
  }

  /** Measures the lower bound. */
  @Benchmark
  public long limit() {
    return slots().halfBare();
  }
}
