package org.vramkit.ffm;

import java.lang.foreign.Arena;
import java.util.Arrays;
import org.vramkit.cuda.driver.VirtualMemoryCalls;

/** Virtual memory calls. The structures for the calls are created once per device. */
final class FfmVirtualMemory implements VirtualMemoryCalls {
  /** {@code CU_MEM_ALLOC_GRANULARITY_MINIMUM}. */
  private static final int MINIMUM = 0;

  /**
   * {@code CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp*
   * prop, CUmemAllocationGranularity_flags option)}.
   */
  private final Call.LLI memGetAllocationGranularity;

  /**
   * {@code CUresult cuMemAddressReserve(CUdeviceptr* ptr, size_t size, size_t alignment,
   * CUdeviceptr addr, unsigned long long flags)}.
   */
  private final Call.LLLLL memAddressReserve;

  /** {@code CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size)}. */
  private final Call.LL memAddressFree;

  /**
   * {@code CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size, const
   * CUmemAllocationProp* prop, unsigned long long flags)}.
   */
  private final Call.LLLL memCreate;

  /** {@code CUresult cuMemRelease(CUmemGenericAllocationHandle handle)}. */
  private final Call.L memRelease;

  /**
   * {@code CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
   * CUmemGenericAllocationHandle handle, unsigned long long flags)}.
   */
  private final Call.LLLLL memMap;

  /**
   * {@code CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc* desc,
   * size_t count)}.
   */
  private final Call.LLLL memSetAccess;

  /** {@code CUresult cuMemUnmap(CUdeviceptr ptr, size_t size)}. */
  private final Call.LL memUnmap;

  /**
   * The structures by device. Copied on write, because a call must not wait for a lock; of two
   * concurrent additions one may be lost and is repeated.
   */
  private volatile Described[] known = {};

  /**
   * The allocation properties and the access description of a device.
   *
   * @param memory address of a {@code CUmemAllocationProp}
   * @param readWrite address of a {@code CUmemAccessDesc}
   */
  private record Described(long memory, long readWrite) {

    /** Never freed; there is one per device. */
    static Described of(int ordinal) {
      return new Described(
          Structures.memoryOf(ordinal, Arena.global()).address(),
          Structures.accessOf(ordinal, /* allowed= */ true, Arena.global()).address());
    }
  }

  FfmVirtualMemory(DriverFunctions functions) {
    memGetAllocationGranularity =
        new Call.LLI(functions.find("cuMemGetAllocationGranularity", SINCE));
    memAddressReserve = new Call.LLLLL(functions.find("cuMemAddressReserve", SINCE));
    memAddressFree = new Call.LL(functions.find("cuMemAddressFree", SINCE));
    memCreate = new Call.LLLL(functions.find("cuMemCreate", SINCE));
    memRelease = new Call.L(functions.find("cuMemRelease", SINCE));
    memMap = new Call.LLLLL(functions.find("cuMemMap", SINCE));
    memSetAccess = new Call.LLLL(functions.find("cuMemSetAccess", SINCE));
    memUnmap = new Call.LL(functions.find("cuMemUnmap", SINCE));
  }

  private Described of(int ordinal) {
    Described[] all = known;
    return ordinal < all.length ? all[ordinal] : add(ordinal);
  }

  private Described add(int ordinal) {
    Described[] before = known;
    if (ordinal < before.length) {
      return before[ordinal];
    }
    Described[] more = Arrays.copyOf(before, ordinal + 1);
    for (int each = before.length; each < more.length; each++) {
      more[each] = Described.of(each);
    }
    known = more;
    return more[ordinal];
  }

  @Override
  public int cuMemGetAllocationGranularity(long[] bytes, int ordinal) {
    long cell = Cells.take();
    try {
      int result = memGetAllocationGranularity.call(cell, of(ordinal).memory(), MINIMUM);
      bytes[0] = Cells.getLong(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuMemAddressReserve(long[] address, long bytes) {
    long cell = Cells.take();
    try {
      int result = memAddressReserve.call(cell, bytes, 0, 0, 0);
      address[0] = Cells.getLong(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuMemAddressFree(long address, long bytes) {
    return memAddressFree.call(address, bytes);
  }

  @Override
  public int cuMemCreate(long[] handle, long bytes, int ordinal) {
    long cell = Cells.take();
    try {
      int result = memCreate.call(cell, bytes, of(ordinal).memory(), 0);
      handle[0] = Cells.getLong(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuMemRelease(long handle) {
    return memRelease.call(handle);
  }

  @Override
  public int cuMemMap(long address, long bytes, long handle) {
    return memMap.call(address, bytes, 0, handle, 0);
  }

  @Override
  public int cuMemSetAccess(long address, long bytes, int[] ordinals, boolean allowed) {
    if (ordinals.length == 1 && allowed) {
      return memSetAccess.call(address, bytes, of(ordinals[0]).readWrite(), 1);
    }
    try (Arena arena = Arena.ofConfined()) {
      long described = Structures.accessOf(ordinals, allowed, arena).address();
      return memSetAccess.call(address, bytes, described, ordinals.length);
    }
  }

  @Override
  public int cuMemUnmap(long address, long bytes) {
    return memUnmap.call(address, bytes);
  }
}
