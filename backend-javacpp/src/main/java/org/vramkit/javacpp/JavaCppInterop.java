package org.vramkit.javacpp;

import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.CudaInterop;

/** From Vramkit's types to those of the JavaCPP presets and back. */
public final class JavaCppInterop {
  private JavaCppInterop() {}

  /** A pointer that may be set to any address. */
  private static final class Address extends Pointer {
    Address(long address, long bytes) {
      this.address = address;
      this.limit = bytes;
      this.capacity = bytes;
    }
  }

  /**
   * A device pointer to an allocation, for calls of the presets; valid while the allocation is
   * open. It has no deallocator: closing it frees nothing. Its bytes must not be touched by the
   * host.
   */
  public static BytePointer pointer(Allocation allocation) {
    return pointer(allocation.getAddress(), allocation.getSize());
  }

  /**
   * A device pointer to any memory, such as that of a typed buffer or a workspace.
   *
   * @param address first byte
   * @param bytes its size, which becomes the pointer's limit and capacity
   */
  public static BytePointer pointer(long address, long bytes) {
    return new BytePointer(new Address(address, bytes));
  }

  /**
   * The driver's stream; valid while stream and backend are open.
   *
   * @param stream of this backend or another CUDA one
   * @throws InvalidArgumentException if the stream is not one of a CUDA backend
   * @throws org.vramkit.api.error.ClosedException if it is closed
   */
  public static CUstream_st stream(Stream stream) {
    return JavaCppHandle.stream(CudaInterop.handleOf(stream));
  }

  /**
   * A stream that other code made. Closing the result leaves the stream to that code. The legacy
   * default stream, by whatever name, gives the device's own.
   *
   * @param device the device that it belongs to, of this backend or another CUDA one
   * @param stream must not be destroyed while the result is in use
   * @throws InvalidArgumentException if the device is not one of a CUDA backend
   */
  public static Stream wrap(Device device, CUstream_st stream) {
    return CudaInterop.wrap(device, new JavaCppHandle(stream));
  }

  /**
   * Device memory that other code owns, as an allocation; for a pointer that knows its limit.
   *
   * @param memory its first byte is the pointer's address and position, its size the rest up to the
   *     limit, in elements of the pointer's type
   * @param stream the stream that the memory belongs to
   * @param onClose runs when the allocation is closed, with the stream ordered after every recorded
   *     use; frees the memory in the order of the stream, or does nothing
   * @throws InvalidArgumentException if nothing is left up to the limit, as where other code than
   *     the presets' allocators set the address: its size is not known then
   */
  public static Allocation wrap(Pointer memory, Stream stream, Runnable onClose) {
    long bytes = (memory.limit() - memory.position()) * memory.sizeof();
    if (bytes <= 0) {
      throw new InvalidArgumentException(
          "cannot tell the size of memory at "
              + memory
              + ": nothing is left up to its limit; pass the bytes, or set the limit");
    }
    return wrap(memory, bytes, stream, onClose);
  }

  /**
   * Device memory that other code owns, as an allocation; for a pointer without a limit.
   *
   * @param memory its first byte is the pointer's address and position
   * @param bytes its size, not negative
   * @param stream the stream that the memory belongs to
   * @param onClose as with a pointer that knows its limit
   */
  public static Allocation wrap(Pointer memory, long bytes, Stream stream, Runnable onClose) {
    long first = memory.address() + memory.position() * memory.sizeof();
    return CudaInterop.wrap(first, bytes, stream, onClose);
  }
}
