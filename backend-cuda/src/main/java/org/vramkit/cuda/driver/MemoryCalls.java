package org.vramkit.cuda.driver;

/** Plain and page-locked allocation in the current context. */
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
}
