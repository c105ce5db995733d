package org.vramkit.ffm;

import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.VirtualMemoryCalls;

/** Virtual memory where a tool wants to know what addresses were reserved. */
record ToldVirtualMemory(VirtualMemoryCalls calls, ToldBlocks told) implements VirtualMemoryCalls {

  @Override
  public int cuMemAddressReserve(long[] address, long bytes) {
    int result = calls.cuMemAddressReserve(address, bytes);
    if (result == CudaResult.SUCCESS) {
      told.given(address[0], bytes);
    }
    return result;
  }

  @Override
  public int cuMemAddressFree(long address, long bytes) {
    told.taken(address);
    return calls.cuMemAddressFree(address, bytes);
  }

  @Override
  public int cuMemGetAllocationGranularity(long[] bytes, int ordinal) {
    return calls.cuMemGetAllocationGranularity(bytes, ordinal);
  }

  @Override
  public int cuMemCreate(long[] handle, long bytes, int ordinal) {
    return calls.cuMemCreate(handle, bytes, ordinal);
  }

  @Override
  public int cuMemRelease(long handle) {
    return calls.cuMemRelease(handle);
  }

  @Override
  public int cuMemMap(long address, long bytes, long handle) {
    return calls.cuMemMap(address, bytes, handle);
  }

  @Override
  public int cuMemSetAccess(long address, long bytes, int ordinal) {
    return calls.cuMemSetAccess(address, bytes, ordinal);
  }

  @Override
  public int cuMemUnmap(long address, long bytes) {
    return calls.cuMemUnmap(address, bytes);
  }
}
