package org.vramkit.cuda;

import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.cuda.driver.HostMemory;

/** Page-locked host memory. */
final class CudaPinnedMemory implements PinnedMemory {
  private final CudaDevice device;

  CudaPinnedMemory(CudaDevice device) {
    this.device = device;
  }

  @Override
  public PinnedBuffer allocate(long bytes) {
    CudaDeviceMemory.requirePositive(bytes);
    HostMemory[] made = new HostMemory[1];
    device.context.take(
        "cuMemAllocHost", bytes, () -> device.driver.memory().cuMemAllocHost(made, bytes));
    return new CudaPinnedBuffer(device, made[0], bytes);
  }
}
