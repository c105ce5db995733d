package org.vramkit.cuda;

import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.MemoryCalls;

/** Plain allocation. */
final class CudaDeviceMemory implements DeviceMemory {
  private final CudaDevice device;
  private final MemoryCalls calls;

  CudaDeviceMemory(CudaDevice device) {
    this.device = device;
    this.calls = device.driver.memory();
  }

  /** The driver takes sizes without a sign: what is negative here would be huge there. */
  static void requirePositive(long bytes) {
    if (bytes <= 0) {
      throw new InvalidArgumentException("cannot allocate " + bytes + " bytes: not positive");
    }
  }

  @Override
  public long allocate(long bytes) {
    requirePositive(bytes);
    long[] address = new long[1];
    device.context.take("cuMemAlloc", bytes, () -> calls.cuMemAlloc(address, bytes));
    device.context.open.add(OpenHandles.Kind.ALLOCATION, address[0], bytes);
    return address[0];
  }

  @Override
  public void free(long address) {
    // The driver takes 0 as nothing to do; here it is no address that allocate() returned.
    if (address == 0) {
      throw new InvalidArgumentException("cannot free address 0: no allocation's");
    }
    device.context.open.giveBack(
        OpenHandles.Kind.ALLOCATION,
        address,
        () ->
            device.context.giveBack(
                "cuMemFree",
                () -> "cannot free 0x" + Long.toHexString(address),
                () -> calls.cuMemFree(address)));
  }
}
