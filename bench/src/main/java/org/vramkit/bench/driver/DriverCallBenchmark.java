package org.vramkit.bench.driver;

import java.lang.reflect.Method;
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
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.EventCalls;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.StreamCalls;

/**
 * Time of single driver calls through each binding, without Vramkit's code around them. {@code
 * gpu/calls.c} makes the same calls in C.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
@NullUnmarked // JMH sets the fields
public class DriverCallBenchmark {
  private static final long ALLOCATED = 1 << 20;
  private static final long PAGE = 2 << 20;

  private static final Map<String, String> LOADERS =
      Map.of(
          "ffm", "org.vramkit.ffm.FfmDriver",
          "javacpp", "org.vramkit.javacpp.JavaCppDriver",
          "jcuda", "org.vramkit.jcuda.JCudaCalls");

  /** Name of the binding. */
  @Param({"ffm", "javacpp", "jcuda"})
  public String binding;

  private final Handle[] context = new Handle[1];
  private final Handle[] current = new Handle[1];
  private final Handle[] stream = new Handle[1];
  private final Handle[] event = new Handle[1];
  private final long[] address = new long[1];
  private CudaDriver driver;

  /** Makes a context current and creates a stream and a completed event. */
  @Setup(Level.Trial)
  public void open() throws ReflectiveOperationException {
    // The loaders are package-private, because only this benchmark calls the driver directly.
    Method load = Class.forName(LOADERS.get(binding)).getDeclaredMethod("load");
    load.setAccessible(true);
    driver = (CudaDriver) load.invoke(null);
    require(driver.devices().cuInit());
    require(driver.contexts().cuDevicePrimaryCtxRetain(context, 0));
    require(driver.contexts().cuCtxSetCurrent(context[0]));
    require(driver.streams().cuStreamCreate(stream, StreamCalls.NON_BLOCKING));
    require(driver.events().cuEventCreate(event, EventCalls.DISABLE_TIMING));
    require(driver.events().cuEventRecord(event[0], stream[0]));
    require(driver.events().cuEventSynchronize(event[0]));
  }

  /** Releases everything. */
  @TearDown(Level.Trial)
  public void close() {
    require(driver.events().cuEventDestroy(event[0]));
    require(driver.streams().cuStreamDestroy(stream[0]));
    require(driver.contexts().cuDevicePrimaryCtxRelease(0));
  }

  private static int require(int result) {
    if (result != 0) {
      throw new IllegalStateException("the driver returned error " + result);
    }
    return result;
  }

  /** Measures the query of the current context. */
  @Benchmark
  public Handle currentContext() {
    require(driver.contexts().cuCtxGetCurrent(current));
    return current[0];
  }

  /** Measures the query of an idle stream. */
  @Benchmark
  public int streamQuery() {
    return require(driver.streams().cuStreamQuery(stream[0]));
  }

  /** Measures the query of a completed event. */
  @Benchmark
  public int eventQuery() {
    return require(driver.events().cuEventQuery(event[0]));
  }

  /** Measures recording an event and querying it, whether it has completed or not. */
  @Benchmark
  public int eventRecordAndQuery() {
    require(driver.events().cuEventRecord(event[0], stream[0]));
    return driver.events().cuEventQuery(event[0]);
  }

  /** Measures allocating 1 MiB from the driver's pool and freeing it. */
  @Benchmark
  public int allocateAndFree() {
    require(driver.pools().cuMemAllocAsync(address, ALLOCATED, stream[0]));
    return require(driver.pools().cuMemFreeAsync(address[0], stream[0]));
  }

  /** One page of virtual memory. */
  @State(Scope.Thread)
  public static class Page {
    private final long[] range = new long[1];
    private final long[] memory = new long[1];

    /** Reserves an address range and creates memory. */
    @Setup(Level.Trial)
    public void open(DriverCallBenchmark calls) {
      require(calls.driver.virtualMemory().cuMemAddressReserve(range, PAGE));
      require(calls.driver.virtualMemory().cuMemCreate(memory, PAGE, 0));
    }

    /** Releases the range and the memory. */
    @TearDown(Level.Trial)
    public void close(DriverCallBenchmark calls) {
      require(calls.driver.virtualMemory().cuMemRelease(memory[0]));
      require(calls.driver.virtualMemory().cuMemAddressFree(range[0], PAGE));
    }
  }

  /** Measures mapping and unmapping 2 MiB; JCuda does not support virtual memory. */
  @Benchmark
  public int mapAndUnmap(Page page) {
    require(driver.virtualMemory().cuMemMap(page.range[0], PAGE, page.memory[0]));
    return require(driver.virtualMemory().cuMemUnmap(page.range[0], PAGE));
  }
}
