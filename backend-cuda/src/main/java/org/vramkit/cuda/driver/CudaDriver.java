package org.vramkit.cuda.driver;

import java.util.Set;
import org.vramkit.api.device.MemoryObserver;

/**
 * A thin, stateless binding of the CUDA driver API, divided into groups of calls. Every method of a
 * group is named after the driver function that it calls. The method returns the function's {@code
 * CUresult} instead of throwing an exception, and stores output in element 0 of an array. Devices
 * are identified by ordinal. Safe for any thread.
 *
 * <p>If the driver or the binding lacks a group, its methods return {@link #UNSUPPORTED} without
 * calling the driver.
 */
public interface CudaDriver {

  /** {@code CUDA_ERROR_NOT_SUPPORTED}, the result of the methods of absent groups. */
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

  /** Returns the calls for modules and kernels, or {@link KernelCalls#ABSENT}. */
  KernelCalls kernels();

  /** Returns the pageable memory of the binding, or {@link HostPages#NONE}. */
  default HostPages hostPages() {
    return HostPages.NONE;
  }

  /**
   * Returns the functions of the binding that the installed driver lacks, although its version
   * should have them. Their calls return {@link #UNSUPPORTED}. Empty if the binding cannot detect
   * absent functions.
   */
  default Set<String> getAbsentFunctions() {
    return Set.of();
  }

  /** Returns the observer of allocations, by which a binding may forward reports to a tool. */
  default MemoryObserver getMemoryObserver() {
    return MemoryObserver.NONE;
  }
}
