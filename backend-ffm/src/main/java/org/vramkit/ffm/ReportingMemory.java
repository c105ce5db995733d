package org.vramkit.ffm;

import java.nio.ByteBuffer;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.MemoryCalls;

/**
 * Plain memory calls that record each driver allocation in {@link RegisteredBlocks}, for an
 * attached tool.
 */
record ReportingMemory(MemoryCalls calls, RegisteredBlocks blocks) implements MemoryCalls {

  @Override
  public int cuMemAlloc(long[] address, long bytes) {
    int result = calls.cuMemAlloc(address, bytes);
    if (result == CudaResult.SUCCESS) {
      blocks.addHeap(address[0], bytes);
    }
    return result;
  }

  @Override
  public int cuMemFree(long address) {
    long bytes = blocks.removeHeap(address);
    int result = calls.cuMemFree(address);
    if (result != CudaResult.SUCCESS && bytes > 0) {
      blocks.addHeap(address, bytes);
    }
    return result;
  }

  @Override
  public int cuMemGetInfo(long[] freeAndTotal) {
    return calls.cuMemGetInfo(freeAndTotal);
  }

  @Override
  public int cuMemAllocHost(HostMemory[] memory, long bytes) {
    return calls.cuMemAllocHost(memory, bytes);
  }

  @Override
  public int cuMemFreeHost(HostMemory memory) {
    return calls.cuMemFreeHost(memory);
  }

  @Override
  public int cuMemAllocManaged(HostMemory[] memory, long bytes) {
    return calls.cuMemAllocManaged(memory, bytes);
  }

  @Override
  public int cuMemHostRegister(HostMemory[] memory, ByteBuffer bytes) {
    return calls.cuMemHostRegister(memory, bytes);
  }

  @Override
  public int cuMemHostUnregister(HostMemory memory) {
    return calls.cuMemHostUnregister(memory);
  }
}
