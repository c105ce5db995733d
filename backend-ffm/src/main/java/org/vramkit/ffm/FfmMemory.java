package org.vramkit.ffm;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.MemoryCalls;

/** Calls for plain, page-locked and managed allocation. */
final class FfmMemory implements MemoryCalls {
  /** {@code CU_MEM_ATTACH_GLOBAL}. */
  private static final int ATTACH_GLOBAL = 1;

  /** {@code CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP}. */
  private static final int PORTABLE_AND_MAPPED = 3;

  /** {@code CUresult cuMemGetInfo(size_t* free, size_t* total)}. */
  private final Call.LL memGetInfo;

  /** {@code CUresult cuMemAlloc(CUdeviceptr* dptr, size_t bytesize)}. */
  private final Call.LL memAlloc;

  /** {@code CUresult cuMemFree(CUdeviceptr dptr)}. */
  private final Call.L memFree;

  /** {@code CUresult cuMemAllocHost(void** pp, size_t bytesize)}. */
  private final Call.LL memAllocHost;

  /** {@code CUresult cuMemFreeHost(void* p)}. */
  private final Call.L memFreeHost;

  /** {@code CUresult cuMemAllocManaged(CUdeviceptr* dptr, size_t bytes, unsigned int flags)}. */
  private final Call.LLI memAllocManaged;

  /** {@code CUresult cuMemHostRegister(void* p, size_t bytesize, unsigned int Flags)}. */
  private final Call.LLI memHostRegister;

  /** {@code CUresult cuMemHostUnregister(void* p)}. */
  private final Call.L memHostUnregister;

  FfmMemory(DriverFunctions functions) {
    memGetInfo = new Call.LL(functions.find("cuMemGetInfo", 3020, "cuMemGetInfo_v2"));
    memAlloc = new Call.LL(functions.find("cuMemAlloc", 3020, "cuMemAlloc_v2"));
    memFree = new Call.L(functions.find("cuMemFree", 3020, "cuMemFree_v2"));
    memAllocHost = new Call.LL(functions.find("cuMemAllocHost", 3020, "cuMemAllocHost_v2"));
    memFreeHost = new Call.L(functions.find("cuMemFreeHost", 2000));
    memAllocManaged = new Call.LLI(functions.find("cuMemAllocManaged", 6000));
    memHostRegister =
        new Call.LLI(functions.find("cuMemHostRegister", 6050, "cuMemHostRegister_v2"));
    memHostUnregister = new Call.L(functions.find("cuMemHostUnregister", 4000));
  }

  @Override
  public int cuMemGetInfo(long[] freeAndTotal) {
    long cell = Cells.take();
    try {
      int result = memGetInfo.call(cell, cell + Long.BYTES);
      freeAndTotal[0] = Cells.getLong(cell);
      freeAndTotal[1] = Cells.getLong(cell + Long.BYTES);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuMemAlloc(long[] address, long bytes) {
    long cell = Cells.take();
    try {
      int result = memAlloc.call(cell, bytes);
      address[0] = Cells.getLong(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuMemFree(long address) {
    return memFree.call(address);
  }

  @Override
  public int cuMemAllocHost(HostMemory[] memory, long bytes) {
    long cell = Cells.take();
    try {
      int result = memAllocHost.call(cell, bytes);
      if (result == CudaResult.SUCCESS) {
        memory[0] = new FfmHostMemory(Cells.getLong(cell));
      }
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuMemFreeHost(HostMemory memory) {
    return memFreeHost.call(memory.getAddress());
  }

  @Override
  public int cuMemAllocManaged(HostMemory[] memory, long bytes) {
    long cell = Cells.take();
    try {
      int result = memAllocManaged.call(cell, bytes, ATTACH_GLOBAL);
      if (result == CudaResult.SUCCESS) {
        memory[0] = new FfmHostMemory(Cells.getLong(cell));
      }
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuMemHostRegister(HostMemory[] memory, ByteBuffer bytes) {
    try {
      long first = addressOf(bytes);
      int result = memHostRegister.call(first, bytes.capacity(), PORTABLE_AND_MAPPED);
      if (result == CudaResult.SUCCESS) {
        memory[0] = new FfmHostMemory(first);
      }
      return result;
    } finally {
      Reference.reachabilityFence(bytes);
    }
  }

  @Override
  public int cuMemHostUnregister(HostMemory memory) {
    return memHostUnregister.call(memory.getAddress());
  }

  /** Returns the address of byte 0 of a direct buffer; the caller keeps the buffer reachable. */
  static long addressOf(ByteBuffer buffer) {
    return MemorySegment.ofBuffer(buffer).address() - buffer.position();
  }
}
