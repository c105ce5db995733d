package org.vramkit.cuda;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.GraphCalls;
import org.vramkit.cuda.driver.KernelCalls;
import org.vramkit.cuda.driver.PoolAttributeCalls;
import org.vramkit.cuda.driver.PoolCalls;
import org.vramkit.cuda.driver.VirtualMemoryCalls;

/**
 * The requirements of a capability: driver functions, which the binding must offer, and a device
 * attribute.
 */
enum Requirement {
  VIRTUAL_MEMORY(
      Capability.VIRTUAL_MEMORY,
      "cuMemAddressReserve",
      VirtualMemoryCalls.SINCE,
      DeviceAttribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
      "cuMemAddressReserve",
      "cuMemAddressFree",
      "cuMemGetAllocationGranularity",
      "cuMemCreate",
      "cuMemRelease",
      "cuMemMap",
      "cuMemSetAccess",
      "cuMemUnmap"),
  STREAM_ORDERED_MEMORY(
      Capability.STREAM_ORDERED_MEMORY,
      "cuMemAllocAsync",
      PoolCalls.SINCE,
      DeviceAttribute.MEMORY_POOLS_SUPPORTED,
      "cuMemAllocAsync",
      "cuMemFreeAsync"),
  DRIVER_POOLS(
      Capability.DRIVER_POOLS,
      "cuMemPoolCreate",
      PoolCalls.SINCE,
      DeviceAttribute.MEMORY_POOLS_SUPPORTED,
      "cuMemPoolCreate",
      "cuMemPoolDestroy",
      "cuMemAllocFromPoolAsync",
      "cuMemFreeAsync",
      "cuMemPoolTrimTo"),
  DRIVER_POOL_ATTRIBUTES(
      Capability.DRIVER_POOL_ATTRIBUTES,
      "cuMemPoolGetAttribute with statistics",
      PoolAttributeCalls.SINCE,
      DeviceAttribute.MEMORY_POOLS_SUPPORTED,
      "cuMemPoolGetAttribute",
      "cuMemPoolSetAttribute"),
  MANAGED_MEMORY(
      Capability.MANAGED_MEMORY,
      "cuMemAllocManaged",
      8000,
      DeviceAttribute.CONCURRENT_MANAGED_ACCESS),
  GRAPHS(
      Capability.GRAPHS,
      "cuGraphInstantiateWithFlags",
      GraphCalls.SINCE,
      null,
      "cuGraphInstantiateWithFlags",
      "cuStreamBeginCapture",
      "cuStreamEndCapture",
      "cuStreamIsCapturing",
      "cuThreadExchangeStreamCaptureMode",
      "cuGraphLaunch",
      "cuGraphExecDestroy",
      "cuGraphDestroy"),
  KERNELS(
      Capability.KERNELS,
      "cuLaunchKernel",
      KernelCalls.SINCE,
      null,
      "cuLaunchKernel",
      "cuModuleLoadDataEx",
      "cuModuleUnload",
      "cuModuleGetFunction",
      "cuModuleGetGlobal",
      "cuFuncGetAttribute",
      "cuFuncSetAttribute",
      "cuOccupancyMaxActiveBlocksPerMultiprocessor",
      "cuOccupancyMaxPotentialBlockSize");

  final Capability capability;

  /** The function that is named in messages. */
  final String function;

  /** The first driver version that has all functions. */
  final int since;

  /** The attribute that is not 0 on devices with the capability; null if all devices have it. */
  final @Nullable DeviceAttribute attribute;

  /** The functions that a supported driver may lack. */
  @SuppressWarnings("ImmutableEnumChecker") // an immutable list
  private final List<String> functions;

  Requirement(
      Capability capability,
      String function,
      int since,
      @Nullable DeviceAttribute attribute,
      String... functions) {
    this.capability = capability;
    this.function = function;
    this.since = since;
    this.attribute = attribute;
    this.functions = List.of(functions);
  }

  /**
   * Returns the first function that the installed driver lacks regardless of its version; null if
   * none.
   */
  @Nullable String absentOf(CudaDriver driver) {
    for (String each : functions) {
      if (driver.getAbsentFunctions().contains(each)) {
        return each;
      }
    }
    return null;
  }

  /** Returns whether the binding has the functions. */
  boolean isBoundBy(CudaDriver driver) {
    return switch (this) {
      case VIRTUAL_MEMORY -> driver.virtualMemory() != VirtualMemoryCalls.ABSENT;
      case DRIVER_POOL_ATTRIBUTES -> driver.poolAttributes() != PoolAttributeCalls.ABSENT;
      case GRAPHS -> driver.graphs() != GraphCalls.ABSENT;
      case KERNELS -> driver.kernels() != KernelCalls.ABSENT;
      case STREAM_ORDERED_MEMORY, DRIVER_POOLS, MANAGED_MEMORY -> true;
    };
  }
}
