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
 * Time of an allocation and a close under the churn workload of {@link ChurningThread}.
 *
 * <p>The warm-up is long: with a thread on every core, the JIT compilers get little time, and
 * profiled code is ten times slower when threads share its counters.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ChurnBenchmark extends ChurningThread {
  /** Measures the allocator. */
  @Benchmark
  public long allocator() {
    return slots().replace();
  }

  /** Measures the lower bound. */
  @Benchmark
  public long limit() {
    return slots().replaceBare();
  }
}
