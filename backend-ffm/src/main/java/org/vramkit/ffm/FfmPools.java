package org.vramkit.ffm;

import java.lang.foreign.Arena;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.PoolAttributeCalls;
import org.vramkit.cuda.driver.PoolCalls;

/** Calls for allocation in stream order and pool attributes. */
final class FfmPools implements PoolCalls, PoolAttributeCalls {
  private static final int SINCE = PoolCalls.SINCE;

  /** {@code CUresult cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream)}. */
  private final Call.LLL memAllocAsync;

  /** {@code CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)}. */
  private final Call.LL memFreeAsync;

  /** {@code CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps)}. */
  private final Call.LL memPoolCreate;

  /** {@code CUresult cuMemPoolDestroy(CUmemoryPool pool)}. */
  private final Call.L memPoolDestroy;

  /** {@code CUresult cuMemAllocFromPoolAsync(CUdeviceptr*, size_t, CUmemoryPool, CUstream)}. */
  private final Call.LLLL memAllocFromPoolAsync;

  /**
   * {@code CUresult cuMemPoolSetAccess(CUmemoryPool, const CUmemAccessDesc* map, size_t count)}.
   */
  private final Call.LLL memPoolSetAccess;

  /** {@code CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)}. */
  private final Call.LL memPoolTrimTo;

  /**
   * {@code CUresult cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute attr, void* value)}.
   */
  private final Call.LIL memPoolSetAttribute;

  /**
   * {@code CUresult cuMemPoolGetAttribute(CUmemoryPool, CUmemPool_attribute attr, void* value)}.
   */
  private final Call.LIL memPoolGetAttribute;

  FfmPools(DriverFunctions functions) {
    memAllocAsync = new Call.LLL(functions.find("cuMemAllocAsync", SINCE));
    memFreeAsync = new Call.LL(functions.find("cuMemFreeAsync", SINCE));
    memPoolCreate = new Call.LL(functions.find("cuMemPoolCreate", SINCE));
    memPoolDestroy = new Call.L(functions.find("cuMemPoolDestroy", SINCE));
    memAllocFromPoolAsync = new Call.LLLL(functions.find("cuMemAllocFromPoolAsync", SINCE));
    memPoolSetAccess = new Call.LLL(functions.find("cuMemPoolSetAccess", SINCE));
    memPoolTrimTo = new Call.LL(functions.find("cuMemPoolTrimTo", SINCE));
    memPoolSetAttribute = new Call.LIL(functions.find("cuMemPoolSetAttribute", SINCE));
    memPoolGetAttribute = new Call.LIL(functions.find("cuMemPoolGetAttribute", SINCE));
  }

  @Override
  public int cuMemAllocAsync(long[] address, long bytes, Handle stream) {
    long cell = Cells.take();
    try {
      int result = memAllocAsync.call(cell, bytes, stream.getAddress());
      address[0] = Cells.getLong(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuMemFreeAsync(long address, Handle stream) {
    return memFreeAsync.call(address, stream.getAddress());
  }

  @Override
  public int cuMemPoolCreate(Handle[] pool, int ordinal, long maximumBytes) {
    long cell = Cells.take();
    try (Arena arena = Arena.ofConfined()) {
      int result =
          memPoolCreate.call(cell, Structures.poolOf(ordinal, maximumBytes, arena).address());
      pool[0] = new FfmHandle(Cells.getLong(cell));
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuMemPoolDestroy(Handle pool) {
    return memPoolDestroy.call(pool.getAddress());
  }

  @Override
  public int cuMemAllocFromPoolAsync(long[] address, long bytes, Handle pool, Handle stream) {
    long cell = Cells.take();
    try {
      int result = memAllocFromPoolAsync.call(cell, bytes, pool.getAddress(), stream.getAddress());
      address[0] = Cells.getLong(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuMemPoolSetAccess(Handle pool, int ordinal, boolean allowed) {
    try (Arena arena = Arena.ofConfined()) {
      return memPoolSetAccess.call(
          pool.getAddress(), Structures.accessOf(ordinal, allowed, arena).address(), 1);
    }
  }

  @Override
  public int cuMemPoolTrimTo(Handle pool, long keepBytes) {
    return memPoolTrimTo.call(pool.getAddress(), keepBytes);
  }

  /** Sets an attribute. If it has 4 bytes, these are the first of the 8 in little-endian order. */
  @Override
  public int cuMemPoolSetAttribute(Handle pool, int attribute, long value) {
    long cell = Cells.take();
    try {
      Cells.putLong(cell, value);
      return memPoolSetAttribute.call(pool.getAddress(), attribute, cell);
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuMemPoolGetAttribute(Handle pool, int attribute, long[] value) {
    long cell = Cells.take();
    try {
      int result = memPoolGetAttribute.call(pool.getAddress(), attribute, cell);
      value[0] = Cells.getLong(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }
}
