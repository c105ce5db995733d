package org.vramkit.javacpp;

import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.CudaInterop;

/** Converts between Vramkit's types and those of the JavaCPP presets. */
public final class JavaCppInterop {
  private JavaCppInterop() {}

  /** A pointer whose address can be set. */
  private static final class Address extends Pointer {
    Address(long address, long bytes) {
      this.address = address;
      this.limit = bytes;
      this.capacity = bytes;
    }
  }

  /**
   * Returns a device pointer to an allocation for calls of the presets, valid while the allocation
   * is open. The pointer has no deallocator, so closing it frees nothing. The host must not access
   * its bytes.
   *
   * <p>For a pointer of another type, call {@code pointer.getPointer(FloatPointer.class)}, which
   * converts position and limit to elements. {@code new FloatPointer(pointer)} keeps their numbers,
   * and then claims four times the memory (JavaCPP 1.5.13).
   */
  public static BytePointer pointer(Allocation allocation) {
    return pointer(allocation.getAddress(), allocation.getSize());
  }

  /**
   * Returns a device pointer to any memory, such as a typed buffer or a workspace.
   *
   * @param address the address of the first byte
   * @param bytes the size, which becomes the pointer's limit and capacity
   */
  public static BytePointer pointer(long address, long bytes) {
    return new BytePointer(new Address(address, bytes));
  }

  /**
   * Returns the driver's stream, valid while the stream and the backend are open.
   *
   * @param stream a stream of this or another CUDA backend
   * @throws InvalidArgumentException if the stream does not belong to a CUDA backend
   * @throws org.vramkit.api.error.ClosedException if the stream is closed
   */
  public static CUstream_st stream(Stream stream) {
    return JavaCppHandle.stream(CudaInterop.handleOf(stream));
  }

  /**
   * Wraps a stream of other code. Closing the result does not destroy the stream. For any handle of
   * the legacy default stream, returns the device's default stream.
   *
   * @param device the stream's device, of this or another CUDA backend
   * @param stream the stream, which must not be destroyed while the result is in use
   * @throws InvalidArgumentException if the device does not belong to a CUDA backend
   */
  public static Stream wrap(Device device, CUstream_st stream) {
    return CudaInterop.wrap(device, new JavaCppHandle(stream));
  }

  /**
   * Wraps device memory of other code as an allocation, for a pointer with a limit. The size is
   * {@code (limit - position) * sizeof}, in elements of the pointer's own type: it is too large for
   * a pointer that was made as {@code new FloatPointer(other)}. Do not close a view of the pointer
   * while the memory is in use, because JavaCPP frees the memory of its owner then.
   *
   * @param memory a pointer whose position is the first element and whose limit is the end, both
   *     counted in elements
   * @param stream the stream that the memory belongs to
   * @param onClose runs at the close, when the stream is ordered after every recorded use; frees
   *     the memory in the order of the stream, or has no effect
   * @throws InvalidArgumentException if no elements remain up to the limit, as of a pointer that
   *     got only its address
   */
  public static Allocation wrap(Pointer memory, Stream stream, Runnable onClose) {
    long bytes = (memory.limit() - memory.position()) * memory.sizeof();
    if (bytes <= 0) {
      throw new InvalidArgumentException(
          "unknown size of the memory at "
              + memory
              + ": no elements remain up to its limit; pass the bytes, or set the limit");
    }
    return wrap(memory, bytes, stream, onClose);
  }

  /**
   * Wraps device memory of other code as an allocation, for a pointer without a limit.
   *
   * @param memory a pointer whose position is the first element, counted in elements; JavaCPP's own
   *     parameters of the type {@code void *} count it in bytes
   * @param bytes the size, not negative
   * @param stream the stream that the memory belongs to
   * @param onClose as for a pointer with a limit
   */
  public static Allocation wrap(Pointer memory, long bytes, Stream stream, Runnable onClose) {
    long first = memory.address() + memory.position() * memory.sizeof();
    return CudaInterop.wrap(first, bytes, stream, onClose);
  }
}
