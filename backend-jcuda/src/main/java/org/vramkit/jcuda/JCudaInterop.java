package org.vramkit.jcuda;

import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.cuda.CudaInterop;

/** From Vramkit's types to those of JCuda and back. */
public final class JCudaInterop {
  private JCudaInterop() {}

  /**
   * A device pointer to an allocation, for the driver and the runtime API: a {@link CUdeviceptr} is
   * a {@link jcuda.Pointer}. Valid while the allocation is open.
   */
  public static CUdeviceptr pointer(Allocation allocation) {
    return pointer(allocation.getAddress());
  }

  /** A device pointer to any memory, such as that of a typed buffer or a workspace. */
  public static CUdeviceptr pointer(long address) {
    return new DevicePointer(address);
  }

  /**
   * The driver's stream; valid while stream and backend are open. For the runtime API: {@code new
   * cudaStream_t(stream)}.
   *
   * @param stream of this backend or another CUDA one
   * @throws org.vramkit.api.error.InvalidArgumentException if the stream is not one of a CUDA
   *     backend
   * @throws org.vramkit.api.error.ClosedException if it is closed
   */
  public static CUstream stream(Stream stream) {
    return JCudaHandle.stream(CudaInterop.handleOf(stream));
  }

  /**
   * A stream that other code made. Closing the result leaves the stream to that code. The legacy
   * default stream, by whatever name, gives the device's own.
   *
   * @param device the device that it belongs to, of this backend or another CUDA one
   * @param stream must not be destroyed while the result is in use
   * @throws org.vramkit.api.error.InvalidArgumentException if the device is not one of a CUDA
   *     backend
   */
  public static Stream wrap(Device device, CUstream stream) {
    return CudaInterop.wrap(device, new JCudaHandle(stream));
  }

  /**
   * Device memory that other code owns, as an allocation.
   *
   * @param memory its first byte
   * @param bytes its size, not negative
   * @param stream the stream that the memory belongs to
   * @param onClose runs when the allocation is closed, with the stream ordered after every recorded
   *     use; frees the memory in the order of the stream, or does nothing
   */
  public static Allocation wrap(CUdeviceptr memory, long bytes, Stream stream, Runnable onClose) {
    return CudaInterop.wrap(NativePointers.addressOf(memory), bytes, stream, onClose);
  }
}
