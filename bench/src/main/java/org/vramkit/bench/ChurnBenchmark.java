package org.vramkit.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** A pair, an allocation and a close, at the churn of {@link ChurningThread}. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
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
