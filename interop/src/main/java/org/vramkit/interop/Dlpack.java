package org.vramkit.interop;

import static java.lang.System.Logger.Level.WARNING;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.Experimental;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.cuda.CudaInterop;

/**
 * Exchanges tensors with other libraries of the process without a copy, by DLPack 1: as a pointer
 * to a {@code DLManagedTensorVersioned}, whose deleter the consumer calls once when it no longer
 * needs the tensor. Safe for any thread.
 *
 * <p>DLPack does not specify streams, so the two libraries must agree on one stream or order their
 * streams by an event. If another stream than the allocation's uses the memory, call {@link
 * Allocation#recordUse} before the deleter is called.
 */
@Experimental
public final class Dlpack {
  private static final System.Logger LOGGER = System.getLogger(Dlpack.class.getName());

  /** The major version that is written, and the only one that is read. */
  private static final int MAJOR = 1;

  /** Maximum number of dimensions; a structure with more is considered invalid. */
  private static final int MAX_DIMENSIONS = 64;

  /** The exported allocations by the address of the tensor structure. */
  private static final Map<Long, Allocation> EXPORTED = new ConcurrentHashMap<>();

  /** The exported allocations; each can be exported only once. */
  private static final Set<Allocation> EXPORTED_ALLOCATIONS = ConcurrentHashMap.newKeySet();

  /** The addresses of wrapped tensor structures. */
  private static final Set<Long> WRAPPED = ConcurrentHashMap.newKeySet();

  private Dlpack() {}

  /**
   * The deleter function, created by the first export and kept for the life of the JVM, because
   * native code may hold it.
   */
  private static final class Deleter {
    static final long ADDRESS = make();

    private Deleter() {}

    private static long make() {
      FunctionDescriptor descriptor = FunctionDescriptor.ofVoid(JAVA_LONG);
      try {
        return Linker.nativeLinker()
            .upcallStub(
                MethodHandles.lookup()
                    .findStatic(Deleter.class, "delete", descriptor.toMethodType()),
                descriptor,
                Arena.global())
            .address();
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("no deleter", e);
      }
    }

    /** Called by native code. Must not throw, because that would terminate the JVM. */
    @SuppressWarnings("UnusedMethod")
    private static void delete(long tensor) {
      try {
        close(tensor);
      } catch (Throwable e) {
        try {
          LOGGER.log(WARNING, "the deleter of a DLPack tensor failed", e);
        } catch (Throwable untold) {
          e.addSuppressed(untold);
        }
      }
    }
  }

  /**
   * Exports an allocation as a tensor. The tensor's deleter closes the allocation, so the caller
   * must not close it any more.
   *
   * @param allocation the memory of the elements, from its first byte
   * @param shape the size of each dimension, in row-major order; empty for a single element
   * @param type the type of the elements
   * @return the {@code DLManagedTensorVersioned*}, to pass to one consumer, or to {@link #release}
   *     if no consumer takes it
   * @throws ClosedException if the allocation is closed
   * @throws InvalidArgumentException if the tensor is larger than the allocation, its size
   *     overflows, a dimension is negative, or the allocation is already exported
   */
  public static MemorySegment export(Allocation allocation, long[] shape, ElementType type) {
    if (allocation.isClosed()) {
      throw new ClosedException(
          "allocation of " + allocation.getSize() + " bytes",
          "it can no longer be exported",
          "export it before closing it");
    }
    long bytes = type.getWidth() * requireShape(shape, type);
    if (bytes > allocation.getSize()) {
      throw new InvalidArgumentException(
          "a tensor of "
              + Arrays.toString(shape)
              + " "
              + type
              + " needs "
              + ByteSize.format(bytes)
              + ", but its allocation has "
              + ByteSize.format(allocation.getSize())
              + "; pass a larger allocation or a smaller shape");
    }
    if (!EXPORTED_ALLOCATIONS.add(allocation)) {
      throw new InvalidArgumentException(
          allocation
              + " is already exported, and the deleter of that tensor closes it; let its consumer"
              + " share the tensor, or export a copy");
    }
    long tensor = 0;
    boolean exported = false;
    try {
      tensor = NativeMemory.allocate(DlpackLayout.BYTES + 2L * Long.BYTES * shape.length);
      write(tensor, allocation, shape, type);
      EXPORTED.put(tensor, allocation);
      exported = true;
      return MemorySegment.ofAddress(tensor);
    } finally {
      if (!exported) {
        EXPORTED_ALLOCATIONS.remove(allocation);
        NativeMemory.free(tensor);
      }
    }
  }

  /** Returns the number of elements; throws if their bytes overflow a long. */
  private static long requireShape(long[] shape, ElementType type) {
    if (shape.length > MAX_DIMENSIONS) {
      throw new InvalidArgumentException(
          "the shape has "
              + shape.length
              + " dimensions; at most "
              + MAX_DIMENSIONS
              + " are"
              + " supported");
    }
    for (long each : shape) {
      if (each < 0) {
        throw new InvalidArgumentException(
            "dimensions must be 0 or more, not " + each + " in " + Arrays.toString(shape));
      }
    }
    long count = 1;
    try {
      for (long each : shape) {
        count = Math.multiplyExact(count, each);
      }
      type.bytesOf(count);
      return count;
    } catch (ArithmeticException e) {
      throw new InvalidArgumentException(
          "a tensor of " + Arrays.toString(shape) + " " + type + " exceeds 2^63 - 1 bytes");
    }
  }

  private static void write(long tensor, Allocation allocation, long[] shape, ElementType type) {
    int device = allocation.getStream().getDevice().getOrdinal();
    long shapeAt = tensor + DlpackLayout.BYTES;
    long stridesAt = shapeAt + (long) Long.BYTES * shape.length;
    DlpackLayout.putInt(tensor + DlpackLayout.MAJOR, MAJOR);
    DlpackLayout.putInt(tensor + DlpackLayout.MINOR, 0);
    DlpackLayout.putLong(tensor + DlpackLayout.CONTEXT, 0);
    DlpackLayout.putLong(tensor + DlpackLayout.DELETER, Deleter.ADDRESS);
    DlpackLayout.putLong(tensor + DlpackLayout.FLAGS, 0);
    DlpackLayout.putLong(tensor + DlpackLayout.DATA, allocation.getAddress());
    DlpackLayout.putInt(tensor + DlpackLayout.DEVICE_TYPE, DlpackLayout.CUDA);
    DlpackLayout.putInt(tensor + DlpackLayout.DEVICE_ID, device);
    DlpackLayout.putInt(tensor + DlpackLayout.DIMENSIONS, shape.length);
    DlpackLayout.putByte(tensor + DlpackLayout.TYPE_CODE, DlpackType.codeOf(type));
    DlpackLayout.putByte(tensor + DlpackLayout.TYPE_BITS, type.getWidth() * Byte.SIZE);
    DlpackLayout.putShort(tensor + DlpackLayout.TYPE_LANES, 1);
    DlpackLayout.putLong(tensor + DlpackLayout.SHAPE, shapeAt);
    DlpackLayout.putLong(tensor + DlpackLayout.STRIDES, stridesAt);
    DlpackLayout.putLong(tensor + DlpackLayout.BYTE_OFFSET, 0);
    long stride = 1;
    for (int i = shape.length - 1; i >= 0; i--) {
      DlpackLayout.putLong(shapeAt + (long) Long.BYTES * i, shape[i]);
      DlpackLayout.putLong(stridesAt + (long) Long.BYTES * i, stride);
      stride *= Math.max(1, shape[i]);
    }
  }

  /**
   * Releases a tensor that no consumer has taken, as its deleter would.
   *
   * @throws InvalidArgumentException if the tensor was not exported by this class, or is already
   *     released
   */
  public static void release(MemorySegment tensor) {
    close(tensor.address());
  }

  private static void close(long tensor) {
    Allocation allocation = EXPORTED.remove(tensor);
    if (allocation == null) {
      throw new InvalidArgumentException(
          "no tensor at 0x"
              + Long.toHexString(tensor)
              + " is exported: it was already released, or belongs to another library");
    }
    try {
      allocation.close();
    } finally {
      EXPORTED_ALLOCATIONS.remove(allocation);
      NativeMemory.free(tensor);
    }
  }

  /** Returns the number of exported tensors that are not released. */
  public static int getExportedCount() {
    return EXPORTED.size();
  }

  /**
   * Wraps a tensor of another library. Closing the result calls the tensor's deleter. If this
   * method throws, the caller still owns the tensor.
   *
   * @param tensor a {@code DLManagedTensorVersioned*} without another consumer
   * @param stream a stream of the tensor's device, to which the memory belongs from now on
   * @throws InvalidArgumentException if the tensor has another major version, device or kind of
   *     memory, is not contiguous, has an unsupported element type, or is already wrapped
   */
  public static DlpackTensor wrap(MemorySegment tensor, Stream stream) {
    long self = tensor.address();
    if (self == 0) {
      throw new InvalidArgumentException("the tensor pointer is null");
    }
    int major = DlpackLayout.getInt(self + DlpackLayout.MAJOR);
    if (major != MAJOR) {
      throw new InvalidArgumentException(
          "the tensor has DLPack version "
              + Integer.toUnsignedString(major)
              + ", not 1; it may be a DLManagedTensor, which has no version; request a"
              + " DLManagedTensorVersioned from its library");
    }
    requireDevice(self, stream);
    long[] shape = requireCompact(self);
    ElementType type =
        DlpackType.of(
            DlpackLayout.getByte(self + DlpackLayout.TYPE_CODE),
            DlpackLayout.getByte(self + DlpackLayout.TYPE_BITS),
            DlpackLayout.getShort(self + DlpackLayout.TYPE_LANES));
    long bytes = type.getWidth() * requireShape(shape, type);
    long data = DlpackLayout.getLong(self + DlpackLayout.DATA);
    if (data == 0 && bytes > 0) {
      throw new InvalidArgumentException(
          "the tensor has "
              + ByteSize.format(bytes)
              + " but a null data pointer; pass a tensor whose memory is allocated");
    }
    long first = data == 0 ? 0 : data + DlpackLayout.getLong(self + DlpackLayout.BYTE_OFFSET);
    boolean readOnly =
        (DlpackLayout.getLong(self + DlpackLayout.FLAGS) & DlpackLayout.READ_ONLY) != 0;
    if (!WRAPPED.add(self)) {
      throw new InvalidArgumentException(
          "the tensor at 0x"
              + Long.toHexString(self)
              + " is already wrapped; a tensor has only"
              + " one consumer");
    }
    try {
      return new DlpackTensor(
          CudaInterop.wrap(first, bytes, stream, () -> delete(self)), shape, type, readOnly);
    } catch (RuntimeException | Error e) {
      WRAPPED.remove(self);
      throw e;
    }
  }

  private static void delete(long self) {
    WRAPPED.remove(self);
    long deleter = DlpackLayout.getLong(self + DlpackLayout.DELETER);
    if (deleter != 0) {
      NativeMemory.delete(deleter, self);
    }
  }

  private static void requireDevice(long self, Stream stream) {
    int kind = DlpackLayout.getInt(self + DlpackLayout.DEVICE_TYPE);
    if (kind != DlpackLayout.CUDA && kind != DlpackLayout.CUDA_MANAGED) {
      throw new InvalidArgumentException(
          "the tensor is on DLPack's device type "
              + kind
              + ", which is not CUDA (2 or 13); move it to the GPU first");
    }
    int device = DlpackLayout.getInt(self + DlpackLayout.DEVICE_ID);
    if (device != stream.getDevice().getOrdinal()) {
      throw new InvalidArgumentException(
          "a tensor of device "
              + device
              + " cannot belong to "
              + stream
              + "; pass a stream of"
              + " its device");
    }
  }

  /** Returns the shape; throws if the tensor is not contiguous. */
  private static long[] requireCompact(long self) {
    int dimensions = DlpackLayout.getInt(self + DlpackLayout.DIMENSIONS);
    if (dimensions < 0 || dimensions > MAX_DIMENSIONS) {
      throw new InvalidArgumentException(
          "the tensor has "
              + dimensions
              + " dimensions; 0 to "
              + MAX_DIMENSIONS
              + " are"
              + " supported");
    }
    long shapeAt = DlpackLayout.getLong(self + DlpackLayout.SHAPE);
    long stridesAt = DlpackLayout.getLong(self + DlpackLayout.STRIDES);
    long[] shape = new long[dimensions];
    long compact = 1;
    for (int i = dimensions - 1; i >= 0; i--) {
      shape[i] = DlpackLayout.getLong(shapeAt + (long) Long.BYTES * i);
      if (stridesAt != 0 && shape[i] > 1) {
        long stride = DlpackLayout.getLong(stridesAt + (long) Long.BYTES * i);
        if (stride != compact) {
          throw new InvalidArgumentException(
              "the tensor is not contiguous in row-major order: dimension "
                  + i
                  + " has a stride of "
                  + stride
                  + " elements, not "
                  + compact
                  + "; make it contiguous first");
        }
      }
      compact *= Math.max(1, shape[i]);
    }
    return shape;
  }
}
