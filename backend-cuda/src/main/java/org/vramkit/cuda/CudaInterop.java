package org.vramkit.cuda;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.StreamCalls;

/**
 * From Vramkit's types to the handles of a binding and back. Bindings offer this in their own
 * types.
 */
public final class CudaInterop {
  private CudaInterop() {}

  /**
   * The binding's handle of a stream; stays valid while stream and backend are open.
   *
   * @throws InvalidArgumentException if the stream is not one of a CUDA backend
   * @throws org.vramkit.api.error.ClosedException if it is closed, or its backend is
   */
  public static Handle handleOf(Stream stream) {
    CudaStream cuda = cudaStream(stream);
    cuda.life().enter(cuda);
    cuda.life().leave();
    cuda.device().context.requireOpen(cuda);
    return cuda.handle();
  }

  /**
   * A stream that another library made. Closing it here leaves it to that library, which must
   * destroy it only after that. Both names that the driver has for the legacy default stream give
   * the device's own: two objects for it that are not equal would have memory wait for events where
   * the order is given.
   *
   * @param device the device that it belongs to
   * @param handle the binding's handle of it
   * @throws InvalidArgumentException if the device is not one of a CUDA backend, or if it is {@code
   *     CU_STREAM_PER_THREAD}: one object would stand for as many streams as threads use it, and
   *     memory would pass between them unordered
   */
  public static Stream wrap(Device device, Handle handle) {
    CudaDevice cuda = cudaDevice(device);
    long address = handle.getAddress();
    if (address == StreamCalls.PER_THREAD) {
      throw new InvalidArgumentException(
          "cannot wrap CU_STREAM_PER_THREAD, which is another stream on each thread;"
              + " pass one that cuStreamCreate made");
    }
    return address == 0 || address == StreamCalls.LEGACY
        ? cuda.getDefaultStream()
        : CudaStream.borrowed(cuda, handle);
  }

  /**
   * Memory that another library owns, for code that wants an {@link Allocation}.
   *
   * @param address first byte, on the device of the stream
   * @param bytes its size, not negative
   * @param stream the stream that the memory belongs to
   * @param onClose runs when the allocation is closed, with the stream ordered after every recorded
   *     use; gives the memory back in the order of the stream, or does nothing
   */
  public static Allocation wrap(long address, long bytes, Stream stream, Runnable onClose) {
    return new ForeignAllocation(address, bytes, stream, onClose);
  }

  private static CudaStream cudaStream(Stream stream) {
    if (stream instanceof CudaStream cuda) {
      return cuda;
    }
    throw new InvalidArgumentException(stream + " is not a stream of a CUDA backend");
  }

  private static CudaDevice cudaDevice(Device device) {
    if (device instanceof CudaDevice cuda) {
      return cuda;
    }
    throw new InvalidArgumentException(device + " is not a device of a CUDA backend");
  }
}
