package org.vramkit.ffm;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.cuda.driver.BindingLoad;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.DeviceCalls;
import org.vramkit.cuda.driver.EventCalls;
import org.vramkit.cuda.driver.GraphCalls;
import org.vramkit.cuda.driver.HostPages;
import org.vramkit.cuda.driver.KernelCalls;
import org.vramkit.cuda.driver.MemoryCalls;
import org.vramkit.cuda.driver.PoolAttributeCalls;
import org.vramkit.cuda.driver.PoolCalls;
import org.vramkit.cuda.driver.StreamCalls;
import org.vramkit.cuda.driver.VirtualMemoryCalls;

/**
 * The driver through the JDK's foreign-function interface.
 *
 * @param devices devices, version and names of results
 * @param contexts contexts
 * @param streams streams
 * @param events events
 * @param memory plain and page-locked allocation
 * @param copies fills and copies
 * @param pools allocation in stream order
 * @param poolAttributes attributes of pools
 * @param virtualMemory virtual memory
 * @param graphs capture and graphs
 * @param kernels modules and kernels
 * @param getAbsentFunctions the functions that the installed driver lacks
 * @param getMemoryObserver reports blocks to an attached tool, if any
 */
record FfmDriver(
    DeviceCalls devices,
    ContextCalls contexts,
    StreamCalls streams,
    EventCalls events,
    MemoryCalls memory,
    CopyCalls copies,
    PoolCalls pools,
    PoolAttributeCalls poolAttributes,
    VirtualMemoryCalls virtualMemory,
    GraphCalls graphs,
    KernelCalls kernels,
    Set<String> getAbsentFunctions,
    MemoryObserver getMemoryObserver)
    implements CudaDriver {

  /** The environment variable in which a tool such as compute-sanitizer names its library. */
  private static final String TOOL = "NVTX_INJECTION64_PATH";

  /** Loads the driver on first use. */
  private static final class Loading {
    private static @Nullable CudaDriver driver;

    static final BindingLoad OUTCOME = BindingLoad.attempt(() -> driver = installed());

    private Loading() {}

    private static CudaDriver installed() {
      List<String> names = DriverLibrary.names(System.getProperty("os.name", ""));
      FfmDriver driver = of(DriverLibrary.load(names), /* critical= */ true);
      String library = System.getenv(TOOL);
      return library == null || library.isEmpty() ? driver : driver.reportingTo(library);
    }
  }

  /**
   * Returns the calls of the installed driver.
   *
   * @throws org.vramkit.api.error.BackendNotAvailableException if there is no driver, or it is too
   *     old
   */
  static CudaDriver load() {
    Loading.OUTCOME.require();
    return Objects.requireNonNull(Loading.driver);
  }

  /**
   * Returns the calls of a driver library, or of a fake one in tests.
   *
   * @param critical whether short queries may use {@code Linker.Option.critical}
   */
  static FfmDriver of(SymbolLookup library, boolean critical) {
    DriverFunctions functions = DriverFunctions.of(library, critical);
    DriverFunctions newer = functions.orAbsent();
    FfmPools pools = new FfmPools(newer);
    VirtualMemoryCalls virtualMemory = new FfmVirtualMemory(newer);
    GraphCalls graphs = new FfmGraphs(newer);
    KernelCalls kernels = new FfmKernels(newer);
    return new FfmDriver(
        new FfmDevices(functions),
        new FfmContexts(functions),
        new FfmStreams(functions),
        new FfmEvents(functions),
        new FfmMemory(functions),
        new FfmCopies(functions, newer),
        pools,
        pools,
        virtualMemory,
        graphs,
        kernels,
        newer.getAbsent(),
        MemoryObserver.NONE);
  }

  /**
   * Returns a driver that reports blocks to the attached tool, or this driver if the tool does not
   * support it.
   */
  private FfmDriver reportingTo(String library) {
    // The tool needs an initialized CUDA. A failure is reported when the backend opens.
    NvtxMemory tool = devices.cuInit() == CudaResult.SUCCESS ? attached(library) : null;
    if (tool == null) {
      return this;
    }
    log()
        .log(
            Level.INFO,
            library
                + " receives reports of all blocks; virtual memory is off, because the tool cannot"
                + " track blocks in it");
    return reportingTo(tool);
  }

  /** Returns the logger. Not a constant, because the first logger of a JVM initializes logging. */
  private static Logger log() {
    return System.getLogger(FfmDriver.class.getPackageName());
  }

  private static @Nullable NvtxMemory attached(String library) {
    try {
      return NvtxMemory.attach(SymbolLookup.libraryLookup(library, Arena.global()));
    } catch (RuntimeException | LinkageError e) {
      log()
          .log(
              Level.WARNING,
              TOOL + " names " + library + ", which cannot receive block reports",
              e);
      return null;
    }
  }

  /**
   * Returns a driver that reports blocks to a tool. The driver has no virtual memory, because
   * compute-sanitizer accepts only memory of {@code cuMemAlloc} as heaps (observed with CUDA 13.0).
   */
  FfmDriver reportingTo(NvtxMemory tool) {
    RegisteredBlocks blocks = new RegisteredBlocks(tool);
    return new FfmDriver(
        devices,
        contexts,
        streams,
        events,
        new ReportingMemory(memory, blocks),
        copies,
        pools,
        poolAttributes,
        VirtualMemoryCalls.ABSENT,
        graphs,
        kernels,
        getAbsentFunctions,
        blocks);
  }

  @Override
  public HostPages hostPages() {
    return FfmHostPages.ofSystem();
  }

  @Override
  public String getBinding() {
    return "the JDK's foreign functions";
  }
}
