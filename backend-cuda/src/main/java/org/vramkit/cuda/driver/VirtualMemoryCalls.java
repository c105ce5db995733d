package org.vramkit.cuda.driver;

/** Addresses and physical memory apart; needs a driver of CUDA 10.2. */
public interface VirtualMemoryCalls {

  /** The driver version from which on these calls exist. */
  int SINCE = 10020;

  /** Of a binding that lacks them. */
  VirtualMemoryCalls ABSENT = new AbsentVirtualMemory();

  /** The unit of physical memory of a device. */
  int cuMemGetAllocationGranularity(long[] bytes, int ordinal);

  /** Reserves addresses anywhere. */
  int cuMemAddressReserve(long[] address, long bytes);

  /** Gives a reservation back. */
  int cuMemAddressFree(long address, long bytes);

  /** Takes physical memory of a device, without sharing handles. */
  int cuMemCreate(long[] handle, long bytes, int ordinal);

  /** Gives physical memory back once it is no longer mapped. */
  int cuMemRelease(long handle);

  /** Maps a whole handle at an address. */
  int cuMemMap(long address, long bytes, long handle);

  /** Lets a device read and write a mapped range. */
  int cuMemSetAccess(long address, long bytes, int ordinal);

  /** Unmaps whole mappings. */
  int cuMemUnmap(long address, long bytes);
}
