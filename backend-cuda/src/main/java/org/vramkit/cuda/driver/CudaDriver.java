package org.vramkit.cuda.driver;

import java.util.Set;
import org.vramkit.api.device.MemoryObserver;

/**
 * A binding of the CUDA driver API: thin, without state or policy. Every method is named after the
 * driver function it calls and returns its {@code CUresult}, never throws for a result other than
 * 0, and puts results into element 0 of an array. Safe for any thread.
 *
 * <p>Devices go by ordinal. Calls of a group that the installed driver or the binding lacks are
 * never made: the groups in question answer {@link #UNSUPPORTED} instead.
 */
public interface CudaDriver {

  /** {@code CUDA_ERROR_NOT_SUPPORTED}, what an absent group answers. */
  int UNSUPPORTED = 801;

  /** The binding's name and version, for people, such as {@code JCuda 12.6.0}. */
  String getBinding();

  /** Devices, version and names of results. */
  DeviceCalls devices();

  /** Contexts. */
  ContextCalls contexts();

  /** Streams. */
  StreamCalls streams();

  /** Events. */
  EventCalls events();

  /** Plain and page-locked allocation. */
  MemoryCalls memory();

  /** Fills and copies. */
  CopyCalls copies();

  /** Allocation in stream order. */
  PoolCalls pools();

  /** Attributes of the driver's pools; {@link PoolAttributeCalls#ABSENT} where unbound. */
  PoolAttributeCalls poolAttributes();

  /** Virtual memory; {@link VirtualMemoryCalls#ABSENT} where unbound. */
  VirtualMemoryCalls virtualMemory();

  /** Capture and graphs; {@link GraphCalls#ABSENT} where unbound. */
  GraphCalls graphs();

  /**
   * Functions that the binding has and the installed driver lacks, whatever version it tells; their
   * calls answer {@link #UNSUPPORTED}. Empty where the binding cannot tell.
   */
  default Set<String> getAbsentFunctions() {
    return Set.of();
  }

  /** Returns the observer of what allocators hand out; a binding passes it on to its tool. */
  default MemoryObserver getMemoryObserver() {
    return MemoryObserver.NONE;
  }
}
