package org.vramkit.cuda.driver;

import java.nio.ByteBuffer;

/** Plain, page-locked and managed allocation in the current context. */
public interface MemoryCalls {

  /**
   * Free and total memory of the context's device.
   *
   * @param freeAndTotal receives both, in bytes
   */
  int cuMemGetInfo(long[] freeAndTotal);

  /** Device memory. */
  int cuMemAlloc(long[] address, long bytes);

  /** Gives device memory back. */
  int cuMemFree(long address);

  /** Page-locked host memory. */
  int cuMemAllocHost(HostMemory[] memory, long bytes);

  /** Gives page-locked memory back. */
  int cuMemFreeHost(HostMemory memory);

  /**
   * Managed memory that host and devices may touch at the same time, on a device that can; goes
   * back by {@link #cuMemFree}.
   */
  int cuMemAllocManaged(HostMemory[] memory, long bytes);

  /**
   * Page-locks memory of the host's own, for all contexts and mapped, as {@code cuMemAllocHost}
   * makes it.
   *
   * @param memory receives it
   * @param bytes a direct buffer at position 0, all of it; the caller keeps it until it is unlocked
   */
  int cuMemHostRegister(HostMemory[] memory, ByteBuffer bytes);

  /** Unlocks it. */
  int cuMemHostUnregister(HostMemory memory);
}
