package org.vramkit.cuda;

import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.cuda.driver.Handle;

/** Allocates in stream order from the device's current pool. */
final class CudaDefaultPool implements StreamOrderedMemory {
  private static final String IN_STREAM_ORDER =
      "allocate before the capture begins and free after the last launch, or capture into a private"
          + " pool of a CachingAllocator";

  private final CudaDevice device;

  CudaDefaultPool(CudaDevice device) {
    this.device = device;
  }

  @Override
  public long allocate(long bytes, Stream stream) {
    long[] address = new long[1];
    return allocate(
        device,
        "cuMemAllocAsync",
        bytes,
        stream,
        handle -> device.driver.pools().cuMemAllocAsync(address, bytes, handle),
        address);
  }

  @Override
  public void free(long address, Stream stream) {
    free(device, address, stream);
  }

  /** A call that allocates memory in the order of a stream. */
  interface StreamCall {
    int on(Handle stream);
  }

  /**
   * Allocates memory in stream order.
   *
   * @param address receives the address from the call
   */
  static long allocate(
      CudaDevice device, String name, long bytes, Stream stream, StreamCall call, long[] address) {
    CudaDeviceMemory.requirePositive(bytes);
    CudaStream ours = device.ours(stream);
    ours.life().enter(ours);
    try {
      device.graphs.requireUncaptured(ours, "allocate in stream order", IN_STREAM_ORDER);
      device.context.allocate(name, bytes, () -> call.on(ours.handle()));
      device.context.open.add(OpenHandles.Kind.POOL_ALLOCATION, address[0], bytes);
      return address[0];
    } finally {
      ours.life().leave();
    }
  }

  static void free(CudaDevice device, long address, Stream stream) {
    CudaStream ours = device.ours(stream);
    ours.life().enter(ours);
    try {
      device.graphs.requireUncaptured(ours, "free in stream order", IN_STREAM_ORDER);
      device.context.open.release(
          OpenHandles.Kind.POOL_ALLOCATION,
          address,
          () ->
              device.context.run(
                  "cuMemFreeAsync",
                  () -> "cannot free 0x" + Long.toHexString(address) + " on " + ours,
                  () -> device.driver.pools().cuMemFreeAsync(address, ours.handle())));
    } finally {
      ours.life().leave();
    }
  }
}
