package org.vramkit.ffm;

import java.lang.foreign.MemorySegment;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.CudaInterop;

/**
 * From Vramkit's types to those of the JDK's foreign-function interface and back, for bindings that
 * {@code jextract} or you made. For the types of JavaCPP and JCuda put {@code
 * vramkit-backend-javacpp} or {@code vramkit-backend-jcuda} beside this backend: their interop
 * classes take its streams too.
 */
public final class FfmInterop {
  private FfmInterop() {}

  /**
   * A device pointer to an allocation, to be passed to native functions; valid while the allocation
   * is open. It is of size 0, so that Java code that would touch the device's memory gets an error
   * instead of ending the process.
   */
  public static MemorySegment pointer(Allocation allocation) {
    return MemorySegment.ofAddress(allocation.getAddress());
  }

  /**
   * The driver's stream, a {@code CUstream} or {@code cudaStream_t}, of size 0; valid while stream
   * and backend are open.
   *
   * @param stream of this backend or another CUDA one
   * @throws InvalidArgumentException if the stream is not one of a CUDA backend
   * @throws org.vramkit.api.error.ClosedException if it is closed
   */
  public static MemorySegment stream(Stream stream) {
    return MemorySegment.ofAddress(CudaInterop.handleOf(stream).getAddress());
  }

  /**
   * A stream that other code made. Closing the result leaves the stream to that code. The legacy
   * default stream, by whatever name, gives the device's own.
   *
   * @param device the device that it belongs to, of this backend or another CUDA one
   * @param stream a {@code CUstream} or {@code cudaStream_t}; must not be destroyed while the
   *     result is in use
   * @throws InvalidArgumentException if the device is not one of a CUDA backend
   */
  public static Stream wrap(Device device, MemorySegment stream) {
    return CudaInterop.wrap(device, new FfmHandle(stream.address()));
  }

  /**
   * Device memory that other code owns, as an allocation.
   *
   * @param memory its first byte; its size does not count, as native code returns pointers of 0
   * @param bytes its size, not negative
   * @param stream the stream that the memory belongs to
   * @param onClose runs when the allocation is closed, with the stream ordered after every recorded
   *     use; frees the memory in the order of the stream, or does nothing
   */
  public static Allocation wrap(MemorySegment memory, long bytes, Stream stream, Runnable onClose) {
    return CudaInterop.wrap(memory.address(), bytes, stream, onClose);
  }
}
