package org.vramkit.cuda.driver;

/** Calls for virtual memory management, which need a driver of CUDA 10.2 or newer. */
public interface VirtualMemoryCalls {

  /** The first driver version that has these calls. */
  int SINCE = 10020;

  /** The calls of a binding that lacks them. */
  VirtualMemoryCalls ABSENT = new AbsentVirtualMemory();

  /** Gets the granularity of a device's physical memory in bytes. */
  int cuMemGetAllocationGranularity(long[] bytes, int ordinal);

  /** Reserves an address range at any address. */
  int cuMemAddressReserve(long[] address, long bytes);

  /** Frees a reservation. */
  int cuMemAddressFree(long address, long bytes);

  /** Allocates physical memory of a device that cannot be shared with other processes. */
  int cuMemCreate(long[] handle, long bytes, int ordinal);

  /** Releases a handle; the memory is freed once it is no longer mapped. */
  int cuMemRelease(long handle);

  /** Maps all memory of a handle at an address. */
  int cuMemMap(long address, long bytes, long handle);

  /** Allows devices to read and write a mapped range, or forbids it, in one call. */
  int cuMemSetAccess(long address, long bytes, int[] ordinals, boolean allowed);

  /** Unmaps whole mappings. */
  int cuMemUnmap(long address, long bytes);
}
