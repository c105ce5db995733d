package org.vramkit.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.cuda.driver.BindingLoad;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
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

  /** Where a tool such as compute-sanitizer says that it listens: a library's path. */
  private static final String TOOL = "NVTX_INJECTION64_PATH";

  /** Loads when first asked for. */
  private static final class Loading {
    private static @Nullable CudaDriver driver;

    static final BindingLoad OUTCOME = BindingLoad.attempt(() -> driver = installed());

    private Loading() {}

    private static CudaDriver installed() {
      List<String> names = DriverLibrary.names(System.getProperty("os.name", ""));
      FfmDriver driver = of(DriverLibrary.load(names), /* critical= */ true);
      String tool = System.getenv(TOOL);
      return tool == null || tool.isEmpty()
          ? driver
          : driver.tellingOf(
              () -> NvtxMemory.attach(SymbolLookup.libraryLookup(tool, Arena.global())));
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

  /** The same, telling a tool of blocks; it is attached when there is one to tell of. */
  FfmDriver tellingOf(Supplier<@Nullable NvtxMemory> attaching) {
    ToldBlocks told = new ToldBlocks(attaching);
    return new FfmDriver(
        devices,
        contexts,
        streams,
        events,
        new ToldMemory(memory, told),
        copies,
        pools,
        poolAttributes,
        new ToldVirtualMemory(virtualMemory, told),
        graphs,
        getAbsentFunctions,
        told);
  }

  @Override
  public String getBinding() {
    return "the JDK's foreign functions";
  }
}
