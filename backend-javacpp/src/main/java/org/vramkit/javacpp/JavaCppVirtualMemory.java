package org.vramkit.javacpp;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.bytedeco.cuda.cudart.CUmemAccessDesc_v1;
import org.bytedeco.cuda.cudart.CUmemAllocationProp_v1;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.Pointer;
import org.vramkit.cuda.driver.VirtualMemoryCalls;

/** Virtual memory. The descriptions that the calls take are made once for each device. */
final class JavaCppVirtualMemory implements VirtualMemoryCalls {
  private final Map<Integer, CUmemAllocationProp_v1> pinned = new ConcurrentHashMap<>();
  private final Map<Integer, CUmemAccessDesc_v1> readWrite = new ConcurrentHashMap<>();

  private CUmemAllocationProp_v1 pinned(int ordinal) {
    return pinned.computeIfAbsent(
        ordinal,
        device -> {
          CUmemAllocationProp_v1 made = new CUmemAllocationProp_v1();
          Pointer.memset(made, 0, made.sizeof());
          made.type(cudart.CU_MEM_ALLOCATION_TYPE_PINNED);
          made.location().type(cudart.CU_MEM_LOCATION_TYPE_DEVICE).id(device);
          return made;
        });
  }

  private CUmemAccessDesc_v1 readWrite(int ordinal) {
    return readWrite.computeIfAbsent(
        ordinal,
        device -> {
          CUmemAccessDesc_v1 made = new CUmemAccessDesc_v1();
          made.location().type(cudart.CU_MEM_LOCATION_TYPE_DEVICE).id(device);
          return made.flags(cudart.CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        });
  }

  @Override
  public int cuMemGetAllocationGranularity(long[] bytes, int ordinal) {
    Cell granularity = new Cell();
    int result =
        cudart.cuMemGetAllocationGranularity(
            granularity.asSize(), pinned(ordinal), cudart.CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    bytes[0] = granularity.get();
    return result;
  }

  @Override
  public int cuMemAddressReserve(long[] address, long bytes) {
    return cudart.cuMemAddressReserve(address, bytes, 0, 0, 0);
  }

  @Override
  public int cuMemAddressFree(long address, long bytes) {
    return cudart.cuMemAddressFree(address, bytes);
  }

  @Override
  public int cuMemCreate(long[] handle, long bytes, int ordinal) {
    return cudart.cuMemCreate(handle, bytes, pinned(ordinal), 0);
  }

  @Override
  public int cuMemRelease(long handle) {
    return cudart.cuMemRelease(handle);
  }

  @Override
  public int cuMemMap(long address, long bytes, long handle) {
    return cudart.cuMemMap(address, bytes, 0, handle, 0);
  }

  @Override
  public int cuMemSetAccess(long address, long bytes, int ordinal) {
    return cudart.cuMemSetAccess(address, bytes, readWrite(ordinal), 1);
  }

  @Override
  public int cuMemUnmap(long address, long bytes) {
    return cudart.cuMemUnmap(address, bytes);
  }
}
