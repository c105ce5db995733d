package org.vramkit.bench.simulator;

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
import org.vramkit.api.device.KernelModule;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.hazard.CheckerOptions;

/**
 * Kernels of PTX on the simulator, with and without the checker. {@code vectorAdd}, {@code saxpy}
 * and {@code reduction} work on a million floats, {@code matmul} on matrices of 128 x 128. A
 * launch's time is that until the stream is idle. An instruction counts once for each lane that
 * executes it. The heap does not grow: first accesses to new pages would take longer than the
 * kernels.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"})
@State(Scope.Thread)
public class KernelBenchmark {
  /** Turns the checker on or off. */
  @Param({"true", "false"})
  public boolean checked;

  private SimBackend backend;
  private SimStream stream;
  private KernelModule module;
  private long x;
  private long y;
  private long z;

  /** Allocates and fills the operands. */
  @Setup(Level.Trial)
  public void open() {
    backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .costModel(CostModel.FREE)
            .checker(CheckerOptions.DEFAULT.withEnabled(checked))
            .build();
    SimDevice device = backend.getDevice(0);
    stream = device.createStream();
    module = device.loadModule(KernelLaunches.ptx());
    x = operand(device);
    y = operand(device);
    z = operand(device);
  }

  private long operand(SimDevice device) {
    long address = device.getMemory().allocate(4L * KernelLaunches.N);
    stream.fill(address, (byte) 0, 4L * KernelLaunches.N);
    return address;
  }

  /** Closes the simulator; fails if a launch had a hazard. */
  @TearDown(Level.Trial)
  public void close() {
    stream.synchronize();
    if (!backend.getHazards().isEmpty()) {
      throw new IllegalStateException(backend.getHazards().toString());
    }
    backend.close();
  }

  /** Measures {@code y = a * x + y}, in instructions. */
  @Benchmark
  @OperationsPerInvocation(KernelLaunches.SAXPY_INSTRUCTIONS)
  public void saxpy() {
    run(KernelLaunches.SAXPY, y, x, 2f, KernelLaunches.N);
  }

  /** Measures a product of matrices through tiles in shared memory, in instructions. */
  @Benchmark
  @OperationsPerInvocation(KernelLaunches.MATMUL_INSTRUCTIONS)
  public void matmul() {
    run(KernelLaunches.MATMUL, z, x, y, KernelLaunches.SIDE);
  }

  /** Measures sums of 512 numbers each, in instructions. */
  @Benchmark
  @OperationsPerInvocation(KernelLaunches.REDUCTION_INSTRUCTIONS)
  public void reduction() {
    run(KernelLaunches.REDUCTION, z, x);
  }

  /** Measures {@code sums = a + b}, in launches. */
  @Benchmark
  public void vectorAdd() {
    run(KernelLaunches.VECTOR_ADD, z, x, y, KernelLaunches.N);
  }

  private void run(KernelLaunches launch, Object... arguments) {
    stream.launch(module.getKernel(launch.getKernel()), launch.getConfig(), arguments);
    stream.synchronize();
  }
}
