package org.vramkit.jcuda;

import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.cuda.CudaInterop;

/**
 * Converts between the types of Vramkit and the types of JCuda.
 *
 * <p>Do not use the pointers as keys of maps or in sets: JCuda 12.6.0 compares pointers by their
 * native address alone, which is 0 for all pointers to arrays, and not by the offset of {@code
 * withByteOffset}, so different pointers are equal.
 */
public final class JCudaInterop {
  private JCudaInterop() {}

  /**
   * Returns a device pointer to an allocation, valid while the allocation is open. The pointer can
   * be passed to the driver API and, because a {@link CUdeviceptr} is a {@link jcuda.Pointer}, to
   * the runtime API.
   */
  public static CUdeviceptr pointer(Allocation allocation) {
    return pointer(allocation.getAddress());
  }

  /** Returns a device pointer to any memory, such as a typed buffer or a workspace. */
  public static CUdeviceptr pointer(long address) {
    return new DevicePointer(address);
  }

  /**
   * Returns the driver's stream, valid while the stream and the backend are open. The runtime API
   * takes it as {@code new cudaStream_t(stream)}.
   *
   * @param stream a stream of this or another CUDA backend
   * @throws org.vramkit.api.error.InvalidArgumentException if the stream does not belong to a CUDA
   *     backend
   * @throws org.vramkit.api.error.ClosedException if the stream is closed
   */
  public static CUstream stream(Stream stream) {
    return JCudaHandle.stream(CudaInterop.handleOf(stream));
  }

  /**
   * Wraps a stream of other code. Closing the result does not destroy the stream. For any handle of
   * the legacy default stream, returns the device's default stream.
   *
   * @param device the stream's device, of this or another CUDA backend
   * @param stream the stream, which must not be destroyed while the result is in use
   * @throws org.vramkit.api.error.InvalidArgumentException if the device does not belong to a CUDA
   *     backend
   */
  public static Stream wrap(Device device, CUstream stream) {
    return CudaInterop.wrap(device, new JCudaHandle(stream));
  }

  /**
   * Wraps device memory of other code as an allocation.
   *
   * @param memory a pointer to the first byte
   * @param bytes the size, not negative
   * @param stream the stream that the memory belongs to
   * @param onClose runs at the close, when the stream is ordered after every recorded use; frees
   *     the memory in the order of the stream, or has no effect
   */
  public static Allocation wrap(CUdeviceptr memory, long bytes, Stream stream, Runnable onClose) {
    return CudaInterop.wrap(NativePointers.addressOf(memory), bytes, stream, onClose);
  }
}
