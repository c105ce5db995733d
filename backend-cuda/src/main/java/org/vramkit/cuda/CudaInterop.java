package org.vramkit.cuda;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.StreamCalls;

/**
 * Converts between Vramkit's types and the handles of a binding. The backends offer the same
 * conversions in the types of their bindings, such as {@code JCudaInterop}.
 */
public final class CudaInterop {
  private CudaInterop() {}

  /**
   * Returns the binding's handle of a stream, which stays valid while the stream and the backend
   * are open.
   *
   * @throws InvalidArgumentException if {@code stream} does not belong to a CUDA backend
   * @throws org.vramkit.api.error.ClosedException if the stream or its backend is closed
   */
  public static Handle handleOf(Stream stream) {
    CudaStream cuda = cudaStream(stream);
    cuda.life().enter(cuda);
    cuda.life().leave();
    cuda.device().context.requireOpen(cuda);
    return cuda.handle();
  }

  /**
   * Wraps a stream of another library. Closing the wrapper does not destroy the stream, which the
   * other library must destroy afterwards. For both handles of the legacy default stream, returns
   * the device's default stream, so that memory passes between them without an event.
   *
   * @param device the device of the stream
   * @param handle the binding's handle of the stream
   * @throws InvalidArgumentException if {@code device} does not belong to a CUDA backend, or the
   *     handle is {@code CU_STREAM_PER_THREAD}, which is a different stream on each thread, so that
   *     memory would pass between threads unordered
   */
  public static Stream wrap(Device device, Handle handle) {
    CudaDevice cuda = cudaDevice(device);
    long address = handle.getAddress();
    if (address == StreamCalls.PER_THREAD) {
      throw new InvalidArgumentException(
          "cannot wrap CU_STREAM_PER_THREAD, which is a different stream on each thread; pass a"
              + " stream of cuStreamCreate");
    }
    return address == 0 || address == StreamCalls.LEGACY
        ? cuda.getDefaultStream()
        : CudaStream.borrowed(cuda, handle);
  }

  /**
   * Wraps memory of another library as an {@link Allocation}.
   *
   * @param address the address of the first byte, on the stream's device
   * @param bytes the size, not negative
   * @param stream the stream that the memory belongs to
   * @param onClose runs at the close, when {@code stream} is ordered after every recorded use;
   *     frees the memory in the order of the stream, or has no effect. The close of memory with
   *     recorded uses throws {@link org.vramkit.api.error.CaptureException}, and changes nothing,
   *     while one of these streams is captured
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
