package org.vramkit.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Plan;
import org.vramkit.partition.plan.Planner;
import org.vramkit.partition.plan.Tile;
import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.ScatterReport;
import org.vramkit.partition.scatter.Schedule;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

/** Overhead of planning and of scatters, measured with empty work. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Benchmark)
public class ScatterBenchmark {
  private static final int CHUNKS = 1000;

  /** Number of devices. */
  @Param({"1", "8"})
  public int devices;

  private SimBackend backend;
  private DevicePool pool;
  private Scatter scatter;
  private Schedule chunks;

  /** Creates devices of three kinds. */
  @Setup(Level.Trial)
  public void open() {
    DeviceProfile[] kinds = {DeviceProfile.H200, DeviceProfile.A100_80GB, DeviceProfile.SMALL_8GIB};
    SimBackend.Builder builder = SimBackend.builder().bytes(false);
    for (int i = 0; i < devices; i++) {
      builder.device(kinds[i % kinds.length]);
    }
    backend = builder.build();
    pool = DevicePool.of(backend);
    scatter = Scatter.over(pool);
    List<Tile> order = new ArrayList<>();
    for (int i = 0; i < CHUNKS; i++) {
      order.add(new Tile(i % devices, i, i + 1));
    }
    chunks = Schedule.recorded(order);
  }

  /** Stops the workers. */
  @TearDown(Level.Trial)
  public void close() {
    scatter.close();
    backend.close();
  }

  /** Measures a plan of the maximum number of units. */
  @Benchmark
  public Plan plan() {
    return Planner.DEFAULT.plan(pool, Long.MAX_VALUE);
  }

  /** Measures a scatter with empty work. */
  @Benchmark
  public ScatterReport emptyScatter() {
    return scatter.run(10_000_000, tile -> {});
  }

  /** Measures an empty chunk of a scatter with many of them. */
  @Benchmark
  @OperationsPerInvocation(CHUNKS)
  public ScatterReport emptyChunk() {
    return scatter.run(CHUNKS, chunks, tile -> {});
  }
}
