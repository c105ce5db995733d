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
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/**
 * Time of all 2N steps of {@link RandomAllocations}, on one thread and stream. As in RMM's
 * benchmark, all runs share an allocator, so measured runs find a warm cache.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 10)
@Fork(1)
@State(Scope.Thread)
public class RandomAllocationsBenchmark {
  private static final long SEED = 1;

  /** Number of allocations, N. */
  @Param({"1000", "10000", "100000"})
  public int count;

  /** Maximum size in MiB. */
  @Param({"1", "4", "64", "256", "1024", "4096"})
  public int maximumMib;

  private RandomAllocations program;
  private Allocator allocator;
  private Stream stream;

  /** Draws the steps. */
  @Setup(Level.Trial)
  public void open(Gpu gpu) {
    program = new RandomAllocations(count, maximumMib * ByteSize.MIB, SEED);
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
  public void allocator() {
    program.run(allocator, stream);
  }

  /** Measures the lower bound. */
  @Benchmark
  public void limit() {
    program.runBare();
  }
}
