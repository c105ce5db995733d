package org.vramkit.javacpp;

import static org.vramkit.javacpp.JavaCppHandle.pool;
import static org.vramkit.javacpp.JavaCppHandle.stream;

import org.bytedeco.cuda.cudart.CUmemAccessDesc_v1;
import org.bytedeco.cuda.cudart.CUmemPoolHandle_st;
import org.bytedeco.cuda.cudart.CUmemPoolProps_v1;
import org.bytedeco.cuda.global.cudart;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.PoolAttributeCalls;
import org.vramkit.cuda.driver.PoolCalls;

/** Calls for allocation in stream order and pool attributes. */
final class JavaCppPools implements PoolCalls, PoolAttributeCalls {

  @Override
  public int cuMemAllocAsync(long[] address, long bytes, Handle stream) {
    return cudart.cuMemAllocAsync(address, bytes, stream(stream));
  }

  @Override
  public int cuMemFreeAsync(long address, Handle stream) {
    return cudart.cuMemFreeAsync(address, stream(stream));
  }

  @Override
  public int cuMemPoolCreate(Handle[] pool, int ordinal, long maximumBytes) {
    CUmemPoolHandle_st made = new CUmemPoolHandle_st();
    CUmemPoolProps_v1 properties = new CUmemPoolProps_v1(Structure.of(CUmemPoolProps_v1.class));
    properties
        .allocType(cudart.CU_MEM_ALLOCATION_TYPE_PINNED)
        .handleTypes(cudart.CU_MEM_HANDLE_TYPE_NONE)
        .maxSize(maximumBytes);
    properties.location().type(cudart.CU_MEM_LOCATION_TYPE_DEVICE).id(ordinal);
    int result = cudart.cuMemPoolCreate(made, properties);
    pool[0] = new JavaCppHandle(made);
    return result;
  }

  @Override
  public int cuMemPoolDestroy(Handle pool) {
    return cudart.cuMemPoolDestroy(pool(pool));
  }

  @Override
  public int cuMemAllocFromPoolAsync(long[] address, long bytes, Handle pool, Handle stream) {
    return cudart.cuMemAllocFromPoolAsync(address, bytes, pool(pool), stream(stream));
  }

  @Override
  public int cuMemPoolSetAccess(Handle pool, int ordinal, boolean allowed) {
    CUmemAccessDesc_v1 access = new CUmemAccessDesc_v1(Structure.of(CUmemAccessDesc_v1.class));
    access.location().type(cudart.CU_MEM_LOCATION_TYPE_DEVICE).id(ordinal);
    access.flags(
        allowed ? cudart.CU_MEM_ACCESS_FLAGS_PROT_READWRITE : cudart.CU_MEM_ACCESS_FLAGS_PROT_NONE);
    return cudart.cuMemPoolSetAccess(pool(pool), access, 1);
  }

  @Override
  public int cuMemPoolTrimTo(Handle pool, long keepBytes) {
    return cudart.cuMemPoolTrimTo(pool(pool), keepBytes);
  }

  /** Sets an attribute. If it has 4 bytes, these are the first of the 8 in little-endian order. */
  @Override
  public int cuMemPoolSetAttribute(Handle pool, int attribute, long value) {
    Cell cell = new Cell();
    cell.put(value);
    return cudart.cuMemPoolSetAttribute(pool(pool), attribute, cell.asPointer());
  }

  @Override
  public int cuMemPoolGetAttribute(Handle pool, int attribute, long[] value) {
    Cell cell = new Cell();
    int result = cudart.cuMemPoolGetAttribute(pool(pool), attribute, cell.asPointer());
    value[0] = cell.get();
    return result;
  }
}
