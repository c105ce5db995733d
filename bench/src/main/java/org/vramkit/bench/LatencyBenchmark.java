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
 * Percentiles of the time that one operation takes, an allocation or a close, at the churn of
 * {@link ChurningThread}.
 *
 * <p>JMH times operations that it picks at random, with the clock's own cost of some 25 ns in each.
 * What the limit shows at the far end is what the machine does to any thread: interrupts,
 * preemption, safepoints. Why it warms up for long, see {@link ChurnBenchmark}.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LatencyBenchmark extends ChurningThread {
  /** The subject. */
  @Benchmark
  public long allocator() {
    return slots().half();
  }

  /** The least. */
  @Benchmark
  public long limit() {
    return slots().halfBare();
  }
}
