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
 * A pair, an allocation and a close, at the churn of {@link ChurningThread}.
 *
 * <p>Warms up for long: as many threads as there are cores leave the compilers little, and code
 * that still counts for its profile is ten times as slow with threads that count together.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ChurnBenchmark extends ChurningThread {
  /** The subject. */
  @Benchmark
  public long allocator() {
    return slots().replace();
  }

  /** The least. */
  @Benchmark
  public long limit() {
    return slots().replaceBare();
  }
}
