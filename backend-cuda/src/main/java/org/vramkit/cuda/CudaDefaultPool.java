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
        0,
        "cuMemAllocAsync",
        bytes,
        device.ours(stream),
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
   * @param owner the device of the memory
   * @param pool the handle of the pool; 0 for the default pool
   * @param stream a stream of any device of the backend
   * @param address receives the address from the call
   */
  static long allocate(
      CudaDevice owner,
      long pool,
      String name,
      long bytes,
      CudaStream stream,
      StreamCall call,
      long[] address) {
    CudaDeviceMemory.requirePositive(bytes);
    CudaDevice device = stream.device();
    stream.life().enter(stream);
    try {
      device.graphs.requireUncaptured(stream, "allocate in stream order", IN_STREAM_ORDER);
      device.context.allocate(name, bytes, () -> call.on(stream.handle()));
      owner.context.open.addOfPool(pool, address[0], bytes);
      return address[0];
    } finally {
      stream.life().leave();
    }
  }

  /**
   * Frees memory of any device in the order of a stream of any device. The stream's context is
   * current, to which the handle of a default stream refers.
   */
  static void free(CudaDevice owner, long address, Stream stream) {
    CudaStream ours = owner.ofBackend(stream);
    CudaDevice device = ours.device();
    ours.life().enter(ours);
    try {
      device.graphs.requireUncaptured(ours, "free in stream order", IN_STREAM_ORDER);
      owner.context.open.requireOfOpenPool(address);
      owner.context.open.releaseInOrder(
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
