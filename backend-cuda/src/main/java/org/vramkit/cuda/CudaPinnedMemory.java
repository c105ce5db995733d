package org.vramkit.cuda;

import java.nio.ByteBuffer;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.HostMemory;

/** Page-locked host memory, and managed memory. */
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
    return CudaPinnedBuffer.allocated(device, made[0], bytes);
  }

  /** Managed memory. */
  PinnedBuffer manage(long bytes) {
    CudaDeviceMemory.requirePositive(bytes);
    HostMemory[] made = new HostMemory[1];
    device.context.take(
        "cuMemAllocManaged", bytes, () -> device.driver.memory().cuMemAllocManaged(made, bytes));
    return CudaPinnedBuffer.managed(device, made[0], bytes);
  }

  @Override
  public PinnedBuffer register(ByteBuffer memory) {
    if (!memory.isDirect() || memory.isReadOnly() || !memory.hasRemaining()) {
      throw new InvalidArgumentException(
          "cannot page-lock "
              + memory
              + ": give a direct buffer that can be written and has bytes remaining");
    }
    ByteBuffer bytes = memory.slice();
    HostMemory[] made = new HostMemory[1];
    int result =
        device.context.ask(
            "cuMemHostRegister", () -> device.driver.memory().cuMemHostRegister(made, bytes));
    if (result == CudaResult.HOST_MEMORY_ALREADY_REGISTERED) {
      throw device.errors.error(
          "cuMemHostRegister",
          result,
          "cannot page-lock "
              + bytes.capacity()
              + " bytes of which some lie on pages that are locked already; close what locked them"
              + " first, or give memory that begins and ends at pages");
    }
    device.errors.requireMemory("cuMemHostRegister", bytes.capacity(), result);
    return CudaPinnedBuffer.registered(device, made[0], bytes);
  }
}
