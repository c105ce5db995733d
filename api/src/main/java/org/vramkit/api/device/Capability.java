package org.vramkit.api.device;

/** Optional features of a device. Test for these instead of the backend's name. */
public enum Capability {
  /**
   * Reservation of address ranges and mapping of physical memory: {@link
   * Device#getVirtualMemory()}.
   */
  VIRTUAL_MEMORY,
  /** Allocation in stream order from the device's own pool: {@link StreamOrderedMemory}. */
  STREAM_ORDERED_MEMORY,
  /** Pools of the driver: {@link Device#getDriverPools()}. */
  DRIVER_POOLS,
  /** Release threshold, reuse policies and statistics of driver pools: {@link DriverPool}. */
  DRIVER_POOL_ATTRIBUTES,
  /** Page-locked host memory: {@link Device#getPinnedMemory()}. */
  PINNED_HOST_MEMORY,
  /**
   * Memory that the host and devices access at the same address: {@link Device#getManagedMemory()}.
   * The host may access one part while device work uses another.
   */
  MANAGED_MEMORY,
  /** Direct access to the memory of another device: {@link Device#getPeerAccess()}. */
  PEER_ACCESS,
  /** Work that is captured once and launched often: {@link Device#getGraphs()}. */
  GRAPHS,
  /** Modules of kernels: {@link Device#loadModule} and {@link Stream#launch}. */
  KERNELS
}
