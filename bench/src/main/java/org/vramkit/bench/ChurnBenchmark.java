package org.vramkit.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

/**
 * A thousand live blocks of many sizes for each thread, a random one replaced at each step. Give
 * JMH {@code -t N} for N threads; {@code streams} says whether they share one.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class ChurnBenchmark {
  private static final AtomicInteger SEEDS = new AtomicInteger();

  /** {@code own} for a stream of each thread's own, {@code shared} for one stream of all. */
  @Param({"own", "shared"})
  public String streams;

  private final Churn churn = new Churn(SEEDS.incrementAndGet());
  private final long[] addresses = new long[Churn.LIVE];
  private final long[] sizes = new long[Churn.LIVE];
  private final Allocation[] live = new Allocation[Churn.LIVE];
  private Allocator allocator;
  private Stream own;
  private Stream stream;
  private int step;

  /** Fills the slots. */
  @Setup(Level.Trial)
  public void open(Gpu gpu) {
    allocator = gpu.getAllocator();
    own = gpu.createStream();
    stream = streams.equals("own") ? own : gpu.getSharedStream();
    for (int i = 0; i < live.length; i++) {
      sizes[i] = churn.size(step);
      live[i] = allocator.allocate(sizes[i], stream);
      step = Churn.after(step);
    }
  }

  /** Empties them. */
  @TearDown(Level.Trial)
  public void close() {
    for (Allocation each : live) {
      each.close();
    }
    own.close();
  }

  /** The subject. */
  @Benchmark
  public long allocator() {
    step = Churn.after(step);
    int slot = churn.slot(step);
    live[slot].close();
    Allocation fresh = allocator.allocate(churn.size(step), stream);
    live[slot] = fresh;
    return fresh.getAddress();
  }

  /** The least. */
  @Benchmark
  public long limit() {
    step = Churn.after(step);
    int slot = churn.slot(step);
    Limit.free(addresses[slot], sizes[slot]);
    long size = churn.size(step);
    long address = Limit.allocate(size);
    addresses[slot] = address;
    sizes[slot] = size;
    return address;
  }
}
