package org.vramkit.javacpp;

import java.util.HashMap;
import java.util.Map;
import org.bytedeco.cuda.cudart.CUmemAccessDesc_v1;
import org.bytedeco.cuda.cudart.CUmemAllocationProp_v1;
import org.bytedeco.cuda.global.cudart;
import org.vramkit.cuda.driver.VirtualMemoryCalls;

/**
 * Virtual memory calls. The structs that describe a device to the driver are created once per
 * device.
 */
final class JavaCppVirtualMemory implements VirtualMemoryCalls {

  /**
   * The descriptions by device. Copied on write, because a call must not wait for a lock: a virtual
   * thread could resume on another carrier, with another context. If two threads add at the same
   * time, one entry may be lost; the next call for that device creates it again.
   */
  private volatile Map<Integer, Descriptions> known = Map.of();

  /** The allocation properties and the access description of a device. */
  private record Descriptions(CUmemAllocationProp_v1 pinned, CUmemAccessDesc_v1 readWrite) {

    static Descriptions of(int device) {
      CUmemAllocationProp_v1 pinned =
          new CUmemAllocationProp_v1(Structure.of(CUmemAllocationProp_v1.class));
      pinned.type(cudart.CU_MEM_ALLOCATION_TYPE_PINNED);
      pinned.location().type(cudart.CU_MEM_LOCATION_TYPE_DEVICE).id(device);
      CUmemAccessDesc_v1 readWrite = new CUmemAccessDesc_v1(Structure.of(CUmemAccessDesc_v1.class));
      readWrite.flags(cudart.CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
      readWrite.location().type(cudart.CU_MEM_LOCATION_TYPE_DEVICE).id(device);
      return new Descriptions(pinned, readWrite);
    }
  }

  private Descriptions of(int ordinal) {
    Descriptions found = known.get(ordinal);
    return found != null ? found : add(ordinal);
  }

  private Descriptions add(int ordinal) {
    Descriptions made = Descriptions.of(ordinal);
    Map<Integer, Descriptions> more = new HashMap<>(known);
    more.put(ordinal, made);
    known = Map.copyOf(more);
    return made;
  }

  @Override
  public int cuMemGetAllocationGranularity(long[] bytes, int ordinal) {
    Cell granularity = new Cell();
    int result =
        cudart.cuMemGetAllocationGranularity(
            granularity.asSize(), of(ordinal).pinned(), cudart.CU_MEM_ALLOC_GRANULARITY_MINIMUM);
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
    return cudart.cuMemCreate(handle, bytes, of(ordinal).pinned(), 0);
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
  public int cuMemSetAccess(long address, long bytes, int[] ordinals, boolean allowed) {
    if (ordinals.length == 1 && allowed) {
      return cudart.cuMemSetAccess(address, bytes, of(ordinals[0]).readWrite(), 1);
    }
    try (CUmemAccessDesc_v1 described = new CUmemAccessDesc_v1(ordinals.length)) {
      for (int i = 0; i < ordinals.length; i++) {
        CUmemAccessDesc_v1 each = described.getPointer(i);
        each.flags(
            allowed
                ? cudart.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                : cudart.CU_MEM_ACCESS_FLAGS_PROT_NONE);
        each.location().type(cudart.CU_MEM_LOCATION_TYPE_DEVICE).id(ordinals[i]);
      }
      return cudart.cuMemSetAccess(address, bytes, described, ordinals.length);
    }
  }

  @Override
  public int cuMemUnmap(long address, long bytes) {
    return cudart.cuMemUnmap(address, bytes);
  }
}
