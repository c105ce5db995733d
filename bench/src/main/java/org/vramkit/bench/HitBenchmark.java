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
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;

/** Time to allocate and close a block of one size, which a thread cache serves. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class HitBenchmark {
  /** Size in bytes. Thread caches keep only the newest block of the largest size. */
  @Param({"512", "1048576", "8388608"})
  public long size;

  private Allocator allocator;
  private Stream stream;

  /** Creates a stream for each thread. */
  @Setup(Level.Trial)
  public void open(Gpu gpu) {
    allocator = gpu.getAllocator();
    stream = gpu.createStream();
  }

  /** Closes the stream. */
  @TearDown(Level.Trial)
  public void close(Gpu gpu) {
    gpu.closeStream(stream);
  }

  /** Measures the allocator. */
  @Benchmark
  public long allocator() {
    try (Allocation allocation = allocator.allocate(size, stream)) {
      return allocation.getAddress();
    }
  }

  /** Measures the lower bound. */
  @Benchmark
  public long limit() {
    long address = Limit.allocate(size);
    Limit.free(address, size);
    return address;
  }
}
