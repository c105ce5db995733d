package org.vramkit.jcuda;

import java.nio.ByteBuffer;
import jcuda.Pointer;
import jcuda.driver.CUmemAttach_flags;
import jcuda.driver.CUpointer_attribute;
import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.MemoryCalls;

/** Calls for plain, page-locked and managed allocation. */
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

  /** Supports only sizes below 2 GiB, because JCuda keeps page-locked memory in one byte buffer. */
  @Override
  public int cuMemAllocHost(HostMemory[] memory, long bytes) {
    if (bytes > Integer.MAX_VALUE) {
      return CudaDriver.UNSUPPORTED;
    }
    HostPointer made = new HostPointer();
    int result = Results.of(() -> JCudaDriver.cuMemAllocHost(made, bytes));
    if (result == CudaResult.SUCCESS) {
      memory[0] = new JCudaHostMemory(made, made.address());
    }
    return result;
  }

  /**
   * Allocates memory attached to the host, because JCuda creates a buffer only then. A device with
   * concurrent managed access can access it nevertheless.
   */
  @Override
  public int cuMemAllocManaged(HostMemory[] memory, long bytes) {
    if (bytes > Integer.MAX_VALUE) {
      return CudaDriver.UNSUPPORTED;
    }
    DevicePointer made = new DevicePointer();
    int result =
        Results.of(
            () -> JCudaDriver.cuMemAllocManaged(made, bytes, CUmemAttach_flags.CU_MEM_ATTACH_HOST));
    if (result == CudaResult.SUCCESS && made.getByteBuffer() == null) {
      int freed = cuMemFree(made.address());
      return freed == CudaResult.SUCCESS ? CudaDriver.UNSUPPORTED : freed;
    }
    if (result == CudaResult.SUCCESS) {
      memory[0] = new JCudaHostMemory(made, made.address());
    }
    return result;
  }

  @Override
  public int cuMemFreeHost(HostMemory memory) {
    return Results.of(() -> JCudaDriver.cuMemFreeHost(((JCudaHostMemory) memory).pointer()));
  }

  @Override
  public int cuMemHostRegister(HostMemory[] memory, ByteBuffer bytes) {
    Pointer own = Pointer.to(bytes);
    int result =
        Results.of(
            () ->
                JCudaDriver.cuMemHostRegister(
                    own,
                    bytes.capacity(),
                    JCudaDriver.CU_MEMHOSTREGISTER_PORTABLE
                        | JCudaDriver.CU_MEMHOSTREGISTER_DEVICEMAP));
    if (result != CudaResult.SUCCESS) {
      return result;
    }
    long[] address = new long[1];
    result = addressOf(own, address);
    if (result == CudaResult.SUCCESS) {
      memory[0] = new JCudaHostMemory(new HostPointer(address[0]), address[0]);
    } else {
      Results.of(() -> JCudaDriver.cuMemHostUnregister(own));
    }
    return result;
  }

  /** Gets the address from the driver, because JCuda does not expose a buffer's address. */
  private static int addressOf(Pointer locked, long[] address) {
    DevicePointer mapped = new DevicePointer();
    int result = Results.of(() -> JCudaDriver.cuMemHostGetDevicePointer(mapped, locked, 0));
    return result != CudaResult.SUCCESS
        ? result
        : Results.of(
            () ->
                JCudaDriver.cuPointerGetAttribute(
                    Pointer.to(address),
                    CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER,
                    mapped));
  }

  @Override
  public int cuMemHostUnregister(HostMemory memory) {
    return Results.of(() -> JCudaDriver.cuMemHostUnregister(((JCudaHostMemory) memory).pointer()));
  }
}
