package org.vramkit.cuda.driver;

/** Calls for allocation in stream order from pools, which need a driver of CUDA 11.2 or newer. */
public interface PoolCalls {

  /** The first driver version that has these calls. */
  int SINCE = 11020;

  /**
   * The first driver version that can limit the size of a pool. Before CUDA 12.2, NVIDIA's headers
   * declare the field for the size as reserved, and it must be 0.
   */
  int MAXIMUM_SINCE = 12020;

  /** Allocates memory from the device's current pool. */
  int cuMemAllocAsync(long[] address, long bytes, Handle stream);

  /** Frees memory of any pool. */
  int cuMemFreeAsync(long address, Handle stream);

  /**
   * Creates a pool of device memory that cannot be shared with other processes.
   *
   * @param maximumBytes the maximum size; 0 for no limit, as required before {@link #MAXIMUM_SINCE}
   */
  int cuMemPoolCreate(Handle[] pool, int ordinal, long maximumBytes);

  /** Destroys a pool. Memory in use is released when it is freed. */
  int cuMemPoolDestroy(Handle pool);

  /** Allocates memory from a pool. */
  int cuMemAllocFromPoolAsync(long[] address, long bytes, Handle pool, Handle stream);

  /**
   * Grants or revokes a device's access to a pool's memory. Returns {@link CudaDriver#UNSUPPORTED}
   * if the binding lacks the function.
   */
  default int cuMemPoolSetAccess(Handle pool, int ordinal, boolean allowed) {
    return CudaDriver.UNSUPPORTED;
  }

  /** Releases unused memory to the device until at most {@code keepBytes} are reserved. */
  int cuMemPoolTrimTo(Handle pool, long keepBytes);
}
