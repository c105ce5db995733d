package org.vramkit.ffm;

import static org.vramkit.ffm.Pointers.get;
import static org.vramkit.ffm.Pointers.getInt;
import static org.vramkit.ffm.Pointers.told;

import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;

/** Virtual memory calls. */
@SuppressWarnings("UnusedMethod") // called by native code
final class PlayedVirtualMemory {
  private final CudaDriver driver;

  PlayedVirtualMemory(CudaDriver driver) {
    this.driver = driver;
  }

  @Since(10020)
  int cuMemGetAllocationGranularity(long granularity, long properties, int option) {
    if (option != 0 || deviceOf(properties) < 0) {
      return CudaResult.INVALID_VALUE;
    }
    long[] found = new long[1];
    int result = driver.virtualMemory().cuMemGetAllocationGranularity(found, deviceOf(properties));
    return told(result, found[0], granularity);
  }

  @Since(10020)
  int cuMemAddressReserve(long pointer, long size, long alignment, long wanted, long flags) {
    if (alignment != 0 || wanted != 0 || flags != 0) {
      return CudaResult.INVALID_VALUE;
    }
    long[] made = new long[1];
    int result = driver.virtualMemory().cuMemAddressReserve(made, size);
    return told(result, made[0], pointer);
  }

  @Since(10020)
  int cuMemAddressFree(long address, long size) {
    return driver.virtualMemory().cuMemAddressFree(address, size);
  }

  @Since(10020)
  int cuMemCreate(long handle, long size, long properties, long flags) {
    if (flags != 0 || deviceOf(properties) < 0) {
      return CudaResult.INVALID_VALUE;
    }
    long[] made = new long[1];
    int result = driver.virtualMemory().cuMemCreate(made, size, deviceOf(properties));
    return told(result, made[0], handle);
  }

  @Since(10020)
  int cuMemRelease(long handle) {
    return driver.virtualMemory().cuMemRelease(handle);
  }

  @Since(10020)
  int cuMemMap(long address, long size, long offset, long handle, long flags) {
    return offset == 0 && flags == 0
        ? driver.virtualMemory().cuMemMap(address, size, handle)
        : CudaResult.INVALID_VALUE;
  }

  @Since(10020)
  int cuMemSetAccess(long address, long size, long map, long count) {
    int[] ordinals = new int[(int) count];
    int flags = getInt(map + 8);
    for (int i = 0; i < count; i++) {
      ordinals[i] = getInt(map + i * 12L + 4);
      if (getInt(map + i * 12L) != 1 || getInt(map + i * 12L + 8) != flags) {
        return CudaResult.INVALID_VALUE;
      }
    }
    return flags == 3 || flags == 0
        ? driver.virtualMemory().cuMemSetAccess(address, size, ordinals, flags == 3)
        : CudaResult.INVALID_VALUE;
  }

  @Since(10020)
  int cuMemUnmap(long address, long size) {
    return driver.virtualMemory().cuMemUnmap(address, size);
  }

  /**
   * Reads the device from 32 bytes: type, handle types, location, win32 data, flags; -1 if the
   * others are not as expected.
   */
  private static int deviceOf(long properties) {
    boolean asExpected =
        getInt(properties) == 1
            && getInt(properties + 4) == 0
            && getInt(properties + 8) == 1
            && get(properties + 16) == 0
            && get(properties + 24) == 0;
    return asExpected ? getInt(properties + 12) : -1;
  }
}
