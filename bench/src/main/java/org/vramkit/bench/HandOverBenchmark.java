package org.vramkit.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
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
import org.openjdk.jmh.infra.Control;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;

/**
 * Throughput of blocks that one thread allocates and another closes. Each pair of threads has its
 * own stream and ring. Use JMH's {@code -t 2N} for N pairs. The figure of {@code produce} is the
 * total rate in millions of blocks per second.
 *
 * <p>The group {@code ring} passes a single object without allocations, which gives the upper
 * bound.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Group)
public class HandOverBenchmark {
  private static final AtomicInteger SEEDS = new AtomicInteger();
  private static final int CAPACITY = 1024;
  private static final int SPINS = 100;
  private static final Object TOKEN = new Object();

  /** {@code small} for blocks of 512 bytes, {@code churn} for 512 bytes to 8 MiB. */
  @Param({"small", "churn"})
  public String sizes;

  /** The producer's step, in an object that the consumer does not access. */
  @State(Scope.Thread)
  public static class Step {
    private int number;
  }

  private final SpscRing<Allocation> blocks = new SpscRing<>(CAPACITY);
  private final SpscRing<Object> tokens = new SpscRing<>(CAPACITY);
  private Churn churn;
  private boolean isSmall;
  private Allocator allocator;
  private Stream stream;

  /** Creates a stream for each pair. */
  @Setup(Level.Trial)
  public void open(Gpu gpu) {
    isSmall = sizes.equals("small");
    churn = new Churn(SEEDS.incrementAndGet());
    allocator = gpu.getAllocator();
    stream = gpu.createStream();
  }

  /** Closes the blocks left in the ring. */
  @TearDown(Level.Trial)
  public void close(Gpu gpu) {
    for (Allocation each = blocks.poll(); each != null; each = blocks.poll()) {
      each.close();
    }
    gpu.closeStream(stream);
  }

  /** Allocates blocks. */
  @Benchmark
  @Group("allocator")
  public void produce(Step step, Control control) {
    step.number = churn.after(step.number);
    Allocation block = allocator.allocate(isSmall ? 512 : churn.size(step.number), stream);
    if (!put(blocks, block, control)) {
      block.close();
    }
  }

  /** Closes blocks. */
  @Benchmark
  @Group("allocator")
  public void consume(Control control) {
    Allocation block = take(blocks, control);
    if (block != null) {
      block.close();
    }
  }

  /** Adds a token to the ring. */
  @Benchmark
  @Group("ring")
  public boolean produceToken(Control control) {
    return put(tokens, TOKEN, control);
  }

  /** Removes a token from the ring. */
  @Benchmark
  @Group("ring")
  public @Nullable Object consumeToken(Control control) {
    return take(tokens, control);
  }

  /** Waits until the ring has room; returns false if the iteration ends first. */
  private static <T> boolean put(SpscRing<T> ring, T object, Control control) {
    for (int i = 1; !ring.offer(object); i++) {
      if (control.stopMeasurement) {
        return false;
      }
      pause(i);
    }
    return true;
  }

  /** Waits for an object; returns null if the iteration ends first. */
  private static <T> @Nullable T take(SpscRing<T> ring, Control control) {
    T object = ring.poll();
    for (int i = 1; object == null && !control.stopMeasurement; i++) {
      pause(i);
      object = ring.poll();
    }
    return object;
  }

  @SuppressWarnings("ThreadPriorityCheck") // the other thread may need this processor
  private static void pause(int round) {
    if (round % SPINS == 0) {
      Thread.yield();
    } else {
      Thread.onSpinWait();
    }
  }
}
