package org.vramkit.javacpp;

import java.nio.ByteBuffer;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.MemoryCalls;

/** Calls for plain, page-locked and managed allocation. */
final class JavaCppMemory implements MemoryCalls {

  @Override
  public int cuMemGetInfo(long[] freeAndTotal) {
    Cell free = new Cell();
    Cell total = new Cell();
    int result = cudart.cuMemGetInfo(free.asSize(), total.asSize());
    freeAndTotal[0] = free.get();
    freeAndTotal[1] = total.get();
    return result;
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
    BytePointer made = new BytePointer((Pointer) null);
    int result = cudart.cuMemAllocHost(made, bytes);
    if (result == CudaResult.SUCCESS) {
      memory[0] = new JavaCppHostMemory(made.capacity(bytes));
    }
    return result;
  }

  @Override
  public int cuMemFreeHost(HostMemory memory) {
    return cudart.cuMemFreeHost(((JavaCppHostMemory) memory).pointer());
  }

  @Override
  public int cuMemAllocManaged(HostMemory[] memory, long bytes) {
    long[] address = new long[1];
    int result = cudart.cuMemAllocManaged(address, bytes, cudart.CU_MEM_ATTACH_GLOBAL);
    if (result == CudaResult.SUCCESS) {
      memory[0] = JavaCppHostMemory.at(address[0], bytes);
    }
    return result;
  }

  @Override
  public int cuMemHostRegister(HostMemory[] memory, ByteBuffer bytes) {
    JavaCppHostMemory own = JavaCppHostMemory.of(bytes);
    int result =
        cudart.cuMemHostRegister(
            own.pointer(),
            bytes.capacity(),
            cudart.CU_MEMHOSTREGISTER_PORTABLE | cudart.CU_MEMHOSTREGISTER_DEVICEMAP);
    if (result == CudaResult.SUCCESS) {
      memory[0] = own;
    }
    return result;
  }

  @Override
  public int cuMemHostUnregister(HostMemory memory) {
    return cudart.cuMemHostUnregister(((JavaCppHostMemory) memory).pointer());
  }
}
