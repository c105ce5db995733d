package org.vramkit.cuda;

import java.util.function.Predicate;
import org.vramkit.api.device.Capability;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.DeviceAttribute;
import org.vramkit.cuda.driver.PoolAttributeCalls;
import org.vramkit.cuda.driver.PoolCalls;
import org.vramkit.cuda.driver.VirtualMemoryCalls;

/** What a capability needs: functions of the driver, in the binding too, and a device that can. */
enum Requirement {
  VIRTUAL_MEMORY(
      Capability.VIRTUAL_MEMORY,
      "cuMemAddressReserve",
      VirtualMemoryCalls.SINCE,
      DeviceAttribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
      driver -> driver.virtualMemory() != VirtualMemoryCalls.ABSENT),
  STREAM_ORDERED_MEMORY(
      Capability.STREAM_ORDERED_MEMORY,
      "cuMemAllocAsync",
      PoolCalls.SINCE,
      DeviceAttribute.MEMORY_POOLS_SUPPORTED,
      driver -> true),
  DRIVER_POOLS(
      Capability.DRIVER_POOLS,
      "cuMemPoolCreate",
      PoolCalls.SINCE,
      DeviceAttribute.MEMORY_POOLS_SUPPORTED,
      driver -> true),
  DRIVER_POOL_ATTRIBUTES(
      Capability.DRIVER_POOL_ATTRIBUTES,
      "cuMemPoolGetAttribute with statistics",
      PoolAttributeCalls.SINCE,
      DeviceAttribute.MEMORY_POOLS_SUPPORTED,
      driver -> driver.poolAttributes() != PoolAttributeCalls.ABSENT);

  final Capability capability;

  /** The first of the functions that it calls. */
  final String function;

  /** The driver's version from which on it has all of them. */
  final int since;

  /** Whether the device can, other than 0. */
  final DeviceAttribute attribute;

  private final Predicate<CudaDriver> bound;

  Requirement(
      Capability capability,
      String function,
      int since,
      DeviceAttribute attribute,
      Predicate<CudaDriver> bound) {
    this.capability = capability;
    this.function = function;
    this.since = since;
    this.attribute = attribute;
    this.bound = bound;
  }

  /** Whether the binding has the functions. */
  boolean isBoundBy(CudaDriver driver) {
    return bound.test(driver);
  }
}
