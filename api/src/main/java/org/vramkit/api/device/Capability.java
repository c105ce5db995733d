package org.vramkit.api.device;

/**
 * Abilities that a device may have. Shared code asks for a capability and never guesses by the name
 * of a backend.
 */
public enum Capability {
  /** Address ranges and physical memory apart: {@link Device#getVirtualMemory()}. */
  VIRTUAL_MEMORY,
  /** Allocation in stream order from the device's own pool: {@link StreamOrderedMemory}. */
  STREAM_ORDERED_MEMORY,
  /** Pools of the driver: {@link Device#getDriverPools()}. */
  DRIVER_POOLS,
  /** Release threshold, reuse policies and statistics of those pools can be read and set. */
  DRIVER_POOL_ATTRIBUTES,
  /** Page-locked host memory: {@link Device#getPinnedMemory()}. */
  PINNED_HOST_MEMORY,
  /**
   * Memory that the host and devices reach by one address, also while work uses other parts of it:
   * {@link Device#getManagedMemory()}.
   */
  MANAGED_MEMORY,
  /** Direct access to the memory of another device: {@link Device#getPeerAccess()}. */
  PEER_ACCESS,
  /** Work that is captured once and launched often: {@link Device#getGraphs()}. */
  GRAPHS
}
