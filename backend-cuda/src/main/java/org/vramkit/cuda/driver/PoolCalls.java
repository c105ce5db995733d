package org.vramkit.cuda.driver;

/** Allocation in stream order; needs a driver of CUDA 11.2. */
public interface PoolCalls {

  /** The driver version from which on these calls exist. */
  int SINCE = 11020;

  /**
   * The driver version from which on a pool may have a maximum. By the history of NVIDIA's headers,
   * as far as known: before CUDA 12.2 the field was among the reserved ones, which must be 0.
   */
  int MAXIMUM_SINCE = 12020;

  /** Memory from the device's current pool. */
  int cuMemAllocAsync(long[] address, long bytes, Handle stream);

  /** Gives memory of any pool back. */
  int cuMemFreeAsync(long address, Handle stream);

  /**
   * A pool of pinned device memory without sharing handles.
   *
   * @param maximumBytes most that it may hold; 0 for no limit, which it is before {@link
   *     #MAXIMUM_SINCE}
   */
  int cuMemPoolCreate(Handle[] pool, int ordinal, long maximumBytes);

  /** Destroys a pool; memory still in use goes when it is freed. */
  int cuMemPoolDestroy(Handle pool);

  /** Memory from a pool. */
  int cuMemAllocFromPoolAsync(long[] address, long bytes, Handle pool, Handle stream);

  /**
   * Lets a device use a pool's memory, or not; {@link CudaDriver#UNSUPPORTED} where the binding
   * cannot.
   */
  default int cuMemPoolSetAccess(Handle pool, int ordinal, boolean allowed) {
    return CudaDriver.UNSUPPORTED;
  }

  /** Gives unused memory back to the device. */
  int cuMemPoolTrimTo(Handle pool, long keepBytes);
}
