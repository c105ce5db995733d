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
 * Tensors that pass between libraries of one process without a copy, by DLPack 1: a pointer to a
 * {@code DLManagedTensorVersioned}, whose deleter its consumer calls once, when it needs the tensor
 * no longer. Safe for any thread.
 *
 * <p>DLPack says nothing of streams: the two sides agree upon one, or order theirs by an event.
 * Work of another stream than the allocation's is to be told of, by {@link Allocation#recordUse},
 * before the deleter is called.
 */
@Experimental
public final class Dlpack {
  private static final System.Logger LOGGER = System.getLogger(Dlpack.class.getName());

  /** The version that is written; every one of the same major number can be read. */
  private static final int MAJOR = 1;

  /** More dimensions than real tensors have; a structure that says so is none. */
  private static final int MOST_DIMENSIONS = 64;

  /** Tensors that were exported and not given back, by the address of its structure. */
  private static final Map<Long, Allocation> EXPORTED = new ConcurrentHashMap<>();

  /** The same allocations: each has one end, so it is exported once. */
  private static final Set<Allocation> HANDED_OVER = ConcurrentHashMap.newKeySet();

  /** Tensors that are wrapped, by the address of its structure. */
  private static final Set<Long> WRAPPED = ConcurrentHashMap.newKeySet();

  private Dlpack() {}

  /**
   * Made when something is first exported; lasts as long as the JVM, as native code may have it.
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

    /** Called by native code, through which nothing may be thrown: that would end the JVM. */
    @SuppressWarnings("UnusedMethod")
    private static void delete(long tensor) {
      try {
        giveBack(tensor);
      } catch (Throwable e) {
        try {
          LOGGER.log(WARNING, "a deleter of DLPack failed", e);
        } catch (Throwable untold) {
          e.addSuppressed(untold);
        }
      }
    }
  }

  /**
   * Hands an allocation over as a tensor: the deleter closes it, and from now on nothing else may.
   *
   * @param allocation holds the elements from its first byte on
   * @param shape how many elements each dimension has, the last one varies fastest; empty for a
   *     single element
   * @param type of the elements
   * @return the {@code DLManagedTensorVersioned*}, to be given to one consumer, or to {@link
   *     #release} where none takes it
   * @throws ClosedException if the allocation is closed
   * @throws InvalidArgumentException if the tensor is larger than the allocation or overflows, or a
   *     dimension is negative; names the factors. Or if the allocation is exported already
   */
  public static MemorySegment export(Allocation allocation, long[] shape, ElementType type) {
    if (allocation.isClosed()) {
      throw new ClosedException(
          "allocation of " + allocation.getSize() + " bytes",
          "it cannot be exported any more",
          "export it before its close");
    }
    long bytes = type.getWidth() * requireShape(shape, type);
    if (bytes > allocation.getSize()) {
      throw new InvalidArgumentException(
          "a tensor of "
              + Arrays.toString(shape)
              + " "
              + type
              + " has "
              + ByteSize.format(bytes)
              + ", its allocation "
              + ByteSize.format(allocation.getSize()));
    }
    if (!HANDED_OVER.add(allocation)) {
      throw new InvalidArgumentException(
          allocation
              + " is exported already, and the deleter of that tensor closes it: let its consumer"
              + " share the tensor, or copy the memory for another one");
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
        HANDED_OVER.remove(allocation);
        NativeMemory.free(tensor);
      }
    }
  }

  /** How many elements it is; their bytes are not more than a long has room for. */
  private static long requireShape(long[] shape, ElementType type) {
    if (shape.length > MOST_DIMENSIONS) {
      throw new InvalidArgumentException(
          shape.length + " dimensions; there are at most " + MOST_DIMENSIONS);
    }
    for (long each : shape) {
      if (each < 0) {
        throw new InvalidArgumentException(
            "a dimension of " + each + " elements in " + Arrays.toString(shape));
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
   * Gives back a tensor that no consumer has taken: what its deleter would do.
   *
   * @throws InvalidArgumentException if it was not exported here, or was given back already
   */
  public static void release(MemorySegment tensor) {
    giveBack(tensor.address());
  }

  private static void giveBack(long tensor) {
    Allocation allocation = EXPORTED.remove(tensor);
    if (allocation == null) {
      throw new InvalidArgumentException(
          "no tensor at 0x"
              + Long.toHexString(tensor)
              + " is exported: it was given back already, or is another library's");
    }
    try {
      allocation.close();
    } finally {
      HANDED_OVER.remove(allocation);
      NativeMemory.free(tensor);
    }
  }

  /** How many tensors are exported and not given back yet. */
  public static int getExportedCount() {
    return EXPORTED.size();
  }

  /**
   * Takes a tensor of another library; its deleter is called when the result is closed. Where this
   * throws, the tensor stays the caller's.
   *
   * @param tensor a {@code DLManagedTensorVersioned*}, of which there is no other consumer
   * @param stream of the tensor's device; its memory belongs to it from now on
   * @throws InvalidArgumentException if it is of another version, device or kind of memory, has
   *     gaps, or elements of a type that there is not; or if it is wrapped already
   */
  public static DlpackTensor wrap(MemorySegment tensor, Stream stream) {
    long self = tensor.address();
    if (self == 0) {
      throw new InvalidArgumentException("no tensor: the pointer is null");
    }
    int major = DlpackLayout.getInt(self + DlpackLayout.MAJOR);
    if (major != MAJOR) {
      throw new InvalidArgumentException(
          "a tensor of DLPack "
              + Integer.toUnsignedString(major)
              + ", not 1: of another version, or a DLManagedTensor, which has none; ask its library"
              + " for a DLManagedTensorVersioned");
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
          "a tensor of " + ByteSize.format(bytes) + " whose data is null");
    }
    long first = data == 0 ? 0 : data + DlpackLayout.getLong(self + DlpackLayout.BYTE_OFFSET);
    boolean readOnly =
        (DlpackLayout.getLong(self + DlpackLayout.FLAGS) & DlpackLayout.READ_ONLY) != 0;
    if (!WRAPPED.add(self)) {
      throw new InvalidArgumentException(
          "the tensor at 0x" + Long.toHexString(self) + " is wrapped already; it has one consumer");
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
          "a tensor on DLPack's device type "
              + kind
              + ", which is not CUDA (2 or 13); move it to the GPU first");
    }
    int device = DlpackLayout.getInt(self + DlpackLayout.DEVICE_ID);
    if (device != stream.getDevice().getOrdinal()) {
      throw new InvalidArgumentException(
          "a tensor of device " + device + " is no memory of " + stream);
    }
  }

  /** The shape, of a tensor without gaps. */
  private static long[] requireCompact(long self) {
    int dimensions = DlpackLayout.getInt(self + DlpackLayout.DIMENSIONS);
    if (dimensions < 0 || dimensions > MOST_DIMENSIONS) {
      throw new InvalidArgumentException(
          dimensions + " dimensions; there are 0 to " + MOST_DIMENSIONS);
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
              "a tensor with gaps, or whose dimensions are in another order: dimension "
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
