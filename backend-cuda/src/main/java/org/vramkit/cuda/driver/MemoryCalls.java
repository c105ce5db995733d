package org.vramkit.cuda.driver;

import java.nio.ByteBuffer;

/** Calls for plain, page-locked and managed allocation in the current context. */
public interface MemoryCalls {

  /**
   * Gets the free and total memory of the context's device.
   *
   * @param freeAndTotal receives both, in bytes
   */
  int cuMemGetInfo(long[] freeAndTotal);

  /** Allocates device memory. */
  int cuMemAlloc(long[] address, long bytes);

  /** Frees device memory. */
  int cuMemFree(long address);

  /** Allocates page-locked host memory. */
  int cuMemAllocHost(HostMemory[] memory, long bytes);

  /** Frees page-locked memory. */
  int cuMemFreeHost(HostMemory memory);

  /**
   * Allocates managed memory, which host and devices may access concurrently if the device supports
   * it; freed by {@link #cuMemFree}.
   */
  int cuMemAllocManaged(HostMemory[] memory, long bytes);

  /**
   * Page-locks existing host memory, portable and mapped, like memory of {@code cuMemAllocHost}.
   *
   * @param memory receives the registered memory
   * @param bytes a direct buffer, registered from 0 to its capacity; the caller keeps it reachable
   *     until it is unregistered
   */
  int cuMemHostRegister(HostMemory[] memory, ByteBuffer bytes);

  /** Unlocks registered memory. */
  int cuMemHostUnregister(HostMemory memory);
}
