package org.vramkit.cuda.driver;

/**
 * The virtual memory calls of a binding that lacks these functions; all return {@link
 * CudaDriver#UNSUPPORTED}.
 */
final class AbsentVirtualMemory implements VirtualMemoryCalls {

  @Override
  public int cuMemGetAllocationGranularity(long[] bytes, int ordinal) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuMemAddressReserve(long[] address, long bytes) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuMemAddressFree(long address, long bytes) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuMemCreate(long[] handle, long bytes, int ordinal) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuMemRelease(long handle) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuMemMap(long address, long bytes, long handle) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuMemSetAccess(long address, long bytes, int[] ordinals, boolean allowed) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuMemUnmap(long address, long bytes) {
    return CudaDriver.UNSUPPORTED;
  }
}
