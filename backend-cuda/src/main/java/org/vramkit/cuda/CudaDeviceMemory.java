package org.vramkit.cuda;

import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.MemoryCalls;

/** Plain allocation by {@code cuMemAlloc}. */
final class CudaDeviceMemory implements DeviceMemory {
  private final CudaDevice device;
  private final MemoryCalls calls;

  CudaDeviceMemory(CudaDevice device) {
    this.device = device;
    this.calls = device.driver.memory();
  }

  /**
   * Refuses sizes of 0 and less. The driver's sizes are unsigned, so the driver would read a
   * negative size as a huge one.
   */
  static void requirePositive(long bytes) {
    if (bytes <= 0) {
      throw new InvalidArgumentException(
          "cannot allocate " + bytes + " bytes; the size must be" + " positive");
    }
  }

  @Override
  public long allocate(long bytes) {
    requirePositive(bytes);
    long[] address = new long[1];
    device.context.allocate("cuMemAlloc", bytes, () -> calls.cuMemAlloc(address, bytes));
    device.context.open.add(OpenHandles.Kind.ALLOCATION, address[0], bytes);
    return address[0];
  }

  @Override
  public void free(long address) {
    // The driver ignores address 0; here it is an error.
    if (address == 0) {
      throw new InvalidArgumentException(
          "cannot free address 0; pass an address that allocate()" + " returned");
    }
    if (device.context.open.isFreedInOrder(address)) {
      // The driver does not refuse a second free of the same memory.
      throw new InvalidArgumentException(
          "cannot free 0x" + Long.toHexString(address) + ": it was freed in stream order");
    }
    device.context.open.requireOfOpenPool(address);
    device.context.open.release(
        OpenHandles.Kind.ALLOCATION,
        address,
        () ->
            device.context.release(
                "cuMemFree",
                () -> "cannot free 0x" + Long.toHexString(address),
                () -> calls.cuMemFree(address)));
  }
}
