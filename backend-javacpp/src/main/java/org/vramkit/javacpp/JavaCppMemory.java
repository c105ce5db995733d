package org.vramkit.javacpp;

import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.MemoryCalls;

/** Plain and page-locked allocation. */
final class JavaCppMemory implements MemoryCalls {

  @Override
  public int cuMemGetInfo(long[] freeAndTotal) {
    try (SizeTPointer free = new SizeTPointer(1);
        SizeTPointer total = new SizeTPointer(1)) {
      int result = cudart.cuMemGetInfo(free, total);
      freeAndTotal[0] = free.get();
      freeAndTotal[1] = total.get();
      return result;
    }
  }

  @Override
  public int cuMemAlloc(long[] address, long bytes) {
    return cudart.cuMemAlloc(address, bytes);
  }

  @Override
  public int cuMemFree(long address) {
    return cudart.cuMemFree(address);
  }

  @Override
  public int cuMemAllocHost(HostMemory[] memory, long bytes) {
    try (PointerPointer<BytePointer> made = new PointerPointer<>(1)) {
      int result = cudart.cuMemAllocHost(made, bytes);
      if (result == CudaResult.SUCCESS) {
        memory[0] = new JavaCppHostMemory(made.get(BytePointer.class, 0).capacity(bytes));
      }
      return result;
    }
  }

  @Override
  public int cuMemFreeHost(HostMemory memory) {
    return cudart.cuMemFreeHost(((JavaCppHostMemory) memory).pointer());
  }
}
