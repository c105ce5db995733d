package org.vramkit.jcuda;

import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.MemoryCalls;

/** Plain and page-locked allocation. */
final class JCudaMemory implements MemoryCalls {

  @Override
  public int cuMemGetInfo(long[] freeAndTotal) {
    long[] total = new long[1];
    int result = Results.of(() -> JCudaDriver.cuMemGetInfo(freeAndTotal, total));
    freeAndTotal[1] = total[0];
    return result;
  }

  @Override
  public int cuMemAlloc(long[] address, long bytes) {
    DevicePointer made = new DevicePointer();
    int result = Results.of(() -> JCudaDriver.cuMemAlloc(made, bytes));
    address[0] = made.address();
    return result;
  }

  @Override
  public int cuMemFree(long address) {
    return Results.of(() -> JCudaDriver.cuMemFree(new DevicePointer(address)));
  }

  /** JCuda keeps page-locked memory in one buffer, which has room for 2^31 - 1 bytes. */
  @Override
  public int cuMemAllocHost(HostMemory[] memory, long bytes) {
    if (bytes > Integer.MAX_VALUE) {
      return CudaDriver.UNSUPPORTED;
    }
    HostPointer made = new HostPointer();
    int result = Results.of(() -> JCudaDriver.cuMemAllocHost(made, bytes));
    if (result == CudaResult.SUCCESS) {
      memory[0] = new JCudaHostMemory(made);
    }
    return result;
  }

  @Override
  public int cuMemFreeHost(HostMemory memory) {
    return Results.of(() -> JCudaDriver.cuMemFreeHost(((JCudaHostMemory) memory).pointer()));
  }
}
