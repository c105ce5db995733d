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
 * @param getAbsentFunctions what the installed driver lacks of all these
 * @param getMemoryObserver tells a tool of blocks, where one is attached
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
    Set<String> getAbsentFunctions,
    MemoryObserver getMemoryObserver)
    implements CudaDriver {

  private static final Logger LOG = System.getLogger(FfmDriver.class.getPackageName());

  /** The variable by which a tool such as compute-sanitizer names its library. */
  private static final String TOOL = "NVTX_INJECTION64_PATH";

  /** Loads when first asked for. */
  private static final class Loading {
    private static @Nullable CudaDriver driver;

    static final BindingLoad OUTCOME = BindingLoad.attempt(() -> driver = installed());

    private Loading() {}

    private static CudaDriver installed() {
      List<String> names = DriverLibrary.names(System.getProperty("os.name", ""));
      FfmDriver driver = of(DriverLibrary.load(names), /* critical= */ true);
      String library = System.getenv(TOOL);
      return library == null || library.isEmpty() ? driver : driver.toldTo(library);
    }
  }

  /**
   * The calls of the installed driver.
   *
   * @throws org.vramkit.api.error.BackendNotAvailableException if there is none, or it is too old
   */
  static CudaDriver load() {
    Loading.OUTCOME.require();
    return Objects.requireNonNull(Loading.driver);
  }

  /**
   * The calls of a library that is the driver's or plays it.
   *
   * @param critical whether short questions may be critical calls
   */
  static FfmDriver of(SymbolLookup library, boolean critical) {
    DriverFunctions functions = DriverFunctions.of(library, critical);
    DriverFunctions newer = functions.orAbsent();
    FfmPools pools = new FfmPools(newer);
    VirtualMemoryCalls virtualMemory = new FfmVirtualMemory(newer);
    GraphCalls graphs = new FfmGraphs(newer);
    return new FfmDriver(
        new FfmDevices(functions),
        new FfmContexts(functions),
        new FfmStreams(functions),
        new FfmEvents(functions),
        new FfmMemory(functions),
        new FfmCopies(functions),
        pools,
        pools,
        virtualMemory,
        graphs,
        newer.getAbsent(),
        MemoryObserver.NONE);
  }

  /**
   * The same, for a process where a tool asked to be told; itself where that does not care for
   * blocks, or cannot be told.
   */
  private FfmDriver toldTo(String library) {
    // The tool wants CUDA to be in use. The open of the backend says why it is not.
    NvtxMemory tool = devices.cuInit() == CudaResult.SUCCESS ? attached(library) : null;
    if (tool == null) {
      return this;
    }
    LOG.log(
        Level.INFO,
        library + " gets every block; virtual memory is off: it cannot know blocks in that");
    return tellingOf(tool);
  }

  private static @Nullable NvtxMemory attached(String library) {
    try {
      return NvtxMemory.attach(SymbolLookup.libraryLookup(library, Arena.global()));
    } catch (RuntimeException | LinkageError e) {
      LOG.log(Level.WARNING, TOOL + " names " + library + ", which cannot be told of blocks", e);
      return null;
    }
  }

  /**
   * The same, telling a tool of blocks. It has no virtual memory then: compute-sanitizer takes
   * nothing as a heap but what {@code cuMemAlloc} gave (seen with CUDA 13.0).
   */
  FfmDriver tellingOf(NvtxMemory tool) {
    ToldBlocks told = new ToldBlocks(tool);
    return new FfmDriver(
        devices,
        contexts,
        streams,
        events,
        new ToldMemory(memory, told),
        copies,
        pools,
        poolAttributes,
        VirtualMemoryCalls.ABSENT,
        graphs,
        getAbsentFunctions,
        told);
  }

  @Override
  public String getBinding() {
    return "the JDK's foreign functions";
  }
}
