package org.vramkit.jcuda;

import static org.vramkit.jcuda.JCudaHandle.pool;
import static org.vramkit.jcuda.JCudaHandle.stream;

import jcuda.Pointer;
import jcuda.driver.CUmemAllocationHandleType;
import jcuda.driver.CUmemAllocationType;
import jcuda.driver.CUmemLocation;
import jcuda.driver.CUmemLocationType;
import jcuda.driver.CUmemPoolProps;
import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.PoolCalls;

/** Calls for allocation in stream order. */
final class JCudaPools implements PoolCalls {

  @Override
  public int cuMemAllocAsync(long[] address, long bytes, Handle stream) {
    DevicePointer made = new DevicePointer();
    int result = Results.of(() -> JCudaDriver.cuMemAllocAsync(made, bytes, stream(stream)));
    address[0] = made.address();
    return result;
  }

  @Override
  public int cuMemFreeAsync(long address, Handle stream) {
    return Results.of(() -> JCudaDriver.cuMemFreeAsync(new DevicePointer(address), stream(stream)));
  }

  /** Creates a pool without a maximum, which JCuda's pool properties lack. */
  @Override
  public int cuMemPoolCreate(Handle[] pool, int ordinal, long maximumBytes) {
    if (maximumBytes != 0) {
      return CudaDriver.UNSUPPORTED;
    }
    PaddedPool made = new PaddedPool();
    CUmemPoolProps properties =
        new CUmemPoolProps(
            CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED,
            CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_NONE,
            new CUmemLocation(CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, ordinal),
            new Pointer());
    int result = Results.of(() -> JCudaDriver.cuMemPoolCreate(made, properties));
    pool[0] = new JCudaHandle(made);
    return result;
  }

  @Override
  public int cuMemPoolDestroy(Handle pool) {
    return Results.of(() -> JCudaDriver.cuMemPoolDestroy(pool(pool)));
  }

  @Override
  public int cuMemAllocFromPoolAsync(long[] address, long bytes, Handle pool, Handle stream) {
    DevicePointer made = new DevicePointer();
    int result =
        Results.of(
            () -> JCudaDriver.cuMemAllocFromPoolAsync(made, bytes, pool(pool), stream(stream)));
    address[0] = made.address();
    return result;
  }

  @Override
  public int cuMemPoolTrimTo(Handle pool, long keepBytes) {
    return Results.of(() -> JCudaDriver.cuMemPoolTrimTo(pool(pool), keepBytes));
  }
}
