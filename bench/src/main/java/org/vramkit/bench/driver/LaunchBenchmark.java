package org.vramkit.bench.driver;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
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
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.cuda.CudaInterop;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.KernelCalls;
import org.vramkit.cuda.driver.ParameterSpace;
import org.vramkit.pool.caching.CachingAllocator;

/**
 * Time of a launch of a kernel that does nothing, through {@code Stream.launch} and by the bare
 * driver call of the same binding, on the same stream.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
@NullUnmarked // JMH sets the fields
public class LaunchBenchmark {
  private static final Map<String, String> LOADERS =
      Map.of(
          "ffm", "org.vramkit.ffm.FfmDriver",
          "javacpp", "org.vramkit.javacpp.JavaCppDriver",
          "jcuda", "org.vramkit.jcuda.JCudaCalls");

  private static final String PTX =
      """
      .version 6.0
      .target sm_50
      .address_size 64
      .visible .entry nothing(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
      {
        ret;
      }
      """;

  private static final LaunchConfig CONFIG = LaunchConfig.of(1, 32);

  /** Name of the backend. */
  @Param({"ffm", "javacpp", "jcuda"})
  public String binding;

  private Backend backend;
  private CachingAllocator allocator;
  private Stream stream;
  private Allocation x;
  private Allocation y;
  private KernelModule module;
  private Kernel kernel;

  private KernelCalls calls;
  private final Handle[] context = new Handle[1];
  private final Handle[] bareModule = new Handle[1];
  private final Handle[] bareKernel = new Handle[1];
  private Handle bareStream;
  private ParameterSpace parameters;

  /** Loads the kernel through the backend, and once more through the bare binding. */
  @Setup(Level.Trial)
  public void open() throws ReflectiveOperationException {
    backend = Backends.open(binding);
    allocator = CachingAllocator.create(backend.getDevice(0));
    stream = backend.getDevice(0).createStream();
    x = allocator.allocate(1024, stream);
    y = allocator.allocate(1024, stream);
    module = backend.getDevice(0).loadModule(PTX);
    kernel = module.getKernel("nothing");
    // The loaders are package-private, because only benchmarks call the driver directly.
    Method load = Class.forName(LOADERS.get(binding)).getDeclaredMethod("load");
    load.setAccessible(true);
    CudaDriver driver = (CudaDriver) load.invoke(null);
    calls = driver.kernels();
    require(driver.contexts().cuDevicePrimaryCtxRetain(context, 0));
    require(driver.contexts().cuCtxSetCurrent(context[0]));
    byte[] image = (PTX + "\0").getBytes(StandardCharsets.US_ASCII);
    require(calls.cuModuleLoadDataEx(bareModule, image, new byte[1024], new byte[1024]));
    require(calls.cuModuleGetFunction(bareKernel, bareModule[0], "nothing"));
    bareStream = CudaInterop.handleOf(stream);
    parameters = calls.createParameters(kernel.getSignature().getSize());
  }

  /** Releases everything; the context stays retained until the process ends. */
  @TearDown(Level.Trial)
  public void close() {
    stream.synchronize();
    require(calls.cuModuleUnload(bareModule[0]));
    module.close();
    x.close();
    y.close();
    allocator.close();
    stream.close();
    backend.close();
  }

  private static int require(int result) {
    if (result != 0) {
      throw new IllegalStateException("the driver returned error " + result);
    }
    return result;
  }

  /** Measures a launch with two allocations and two numbers. */
  @Benchmark
  public void launch() {
    stream.launch(kernel, CONFIG, x, y, 2f, 256);
  }

  /** Measures the driver call, with arguments that are packed already. */
  @Benchmark
  public int bare() {
    return require(calls.cuLaunchKernel(bareKernel[0], CONFIG, bareStream, parameters));
  }
}
