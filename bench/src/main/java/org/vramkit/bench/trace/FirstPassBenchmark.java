package org.vramkit.bench.trace;

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

/**
 * Time of an event in the first pass through a new allocator, which must first reserve memory;
 * otherwise like {@link TraceBenchmark}. The time excludes creating the allocator and includes
 * about 50 ns for reading the clock.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class FirstPassBenchmark {
  /** Name of a file in {@code traces}. */
  @Param({"gpt", "growing", "streams", "serve", "fixed", "gnn", "prefetch"})
  public String trace;

  /** {@code auto} for pages of virtual memory, {@code off} for segments. */
  @Param({"auto", "off"})
  public String virtualMemory;

  /** See {@link TraceBenchmark#pace}. */
  @Param({"recorded", "full"})
  public String pace;

  private Player player;

  /** Reads the recording. */
  @Setup(Level.Trial)
  public void open() {
    player = new Player(Recording.read(trace), virtualMemory, pace);
  }

  /** Replaces the allocator before each pass. */
  @Setup(Level.Invocation)
  public void renew() {
    if (player.isAtStart()) {
      player.renewAllocator();
    }
  }

  /** Finishes the pass; fails if a block is live. */
  @TearDown(Level.Trial)
  public void close() {
    player.close();
  }

  /** Measures the allocator. */
  @Benchmark
  public void allocator() {
    player.step();
  }
}
