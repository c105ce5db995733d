package org.vramkit.cuda.driver;

import java.util.Set;
import org.vramkit.api.device.MemoryObserver;

/**
 * A thin, stateless binding of the CUDA driver API. Every method is named after the driver function
 * that it calls, returns its {@code CUresult} instead of throwing, and stores output in element 0
 * of an array. Safe for any thread.
 *
 * <p>Devices are identified by ordinal. Call groups that the driver or the binding lacks return
 * {@link #UNSUPPORTED} without calling the driver.
 */
public interface CudaDriver {

  /** {@code CUDA_ERROR_NOT_SUPPORTED}, the result of absent call groups. */
  int UNSUPPORTED = 801;

  /** Returns the binding's name and version for display, such as {@code JCuda 12.6.0}. */
  String getBinding();

  /** Returns the calls about devices, the driver version and result names. */
  DeviceCalls devices();

  /** Returns the calls about contexts. */
  ContextCalls contexts();

  /** Returns the calls about streams. */
  StreamCalls streams();

  /** Returns the calls about events. */
  EventCalls events();

  /** Returns the calls for plain and page-locked allocation. */
  MemoryCalls memory();

  /** Returns the calls for fills and copies. */
  CopyCalls copies();

  /** Returns the calls for allocation in stream order. */
  PoolCalls pools();

  /** Returns the calls for pool attributes, or {@link PoolAttributeCalls#ABSENT}. */
  PoolAttributeCalls poolAttributes();

  /** Returns the calls for virtual memory, or {@link VirtualMemoryCalls#ABSENT}. */
  VirtualMemoryCalls virtualMemory();

  /** Returns the calls for capture and graphs, or {@link GraphCalls#ABSENT}. */
  GraphCalls graphs();

  /**
   * Returns the functions of the binding that the installed driver lacks regardless of its version.
   * Their calls return {@link #UNSUPPORTED}. Empty if the binding cannot detect them.
   */
  default Set<String> getAbsentFunctions() {
    return Set.of();
  }

  /** Returns the observer of allocations; a binding may forward reports to a tool. */
  default MemoryObserver getMemoryObserver() {
    return MemoryObserver.NONE;
  }
}
