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
import org.vramkit.api.allocator.TagScope;
import org.vramkit.api.allocator.Tags;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimBackend;

/**
 * Cost of tags and histories for an allocation and its close, with hits and with churn, on one
 * thread.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class AttributionBenchmark {
  private static final long SIZE = 512;
  private static final long HISTORY_BYTES = 64L << 20;

  /** {@code tag} opens a tag scope, {@code history} records into a ring of 64 MiB. */
  @Param({"nothing", "tag", "history"})
  public String noted;

  private SimBackend backend;
  private CachingAllocator allocator;
  private Stream stream;
  private Slots slots;
  private TagScope scope;

  /** Creates the allocator. */
  @Setup(Level.Trial)
  public void open() {
    backend = MeasuredBackend.simulated();
    allocator =
        CachingAllocator.builder(backend.getDevice(0))
            .history(noted.equals("history") ? HISTORY_BYTES : 0)
            .build();
    stream = backend.getDevice(0).createStream();
    scope = noted.equals("tag") ? Tags.open("train/forward") : null;
    slots = new Slots(new Churn(1), allocator, stream);
  }

  /** Closes everything. */
  @TearDown(Level.Trial)
  public void close() {
    slots.close();
    if (scope != null) {
      scope.close();
    }
    allocator.close();
    stream.close();
    backend.close();
  }

  /** Measures allocating and closing one block, which the cache serves. */
  @Benchmark
  public long hit() {
    try (Allocation allocation = allocator.allocate(SIZE, stream)) {
      return allocation.getAddress();
    }
  }

  /** Measures replacing a random one of a thousand blocks. */
  @Benchmark
  public long churn() {
    return slots.replace();
  }
}
