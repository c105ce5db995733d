package org.vramkit.bench;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pressure.Admission;
import org.vramkit.pressure.Demand;
import org.vramkit.pressure.Grant;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

/** Time to acquire and close an available grant, on one thread. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Benchmark)
public class AdmissionBenchmark {
  private final Demand demand = Demand.of("job", 1L << 30);
  private SimBackend backend;
  private CachingAllocator allocator;
  private Admission admission;

  /** Opens a simulated device, which the admission queries at most 100 times a second. */
  @Setup(Level.Trial)
  public void open() {
    backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
    allocator = CachingAllocator.create(backend.getDevice(0));
    admission = Admission.over(allocator).build();
  }

  /** Closes everything. */
  @TearDown(Level.Trial)
  public void close() {
    admission.close();
    allocator.close();
    backend.close();
  }

  /** Measures the admission. */
  @Benchmark
  public long acquireAndClose() {
    try (Grant grant = admission.acquire(demand, Duration.ZERO)) {
      return grant.getBytes();
    }
  }
}
