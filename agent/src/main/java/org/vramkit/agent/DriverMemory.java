package org.vramkit.agent;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.agent.CudaMemory.Block;
import org.vramkit.agent.CudaMemory.Kind;
import org.vramkit.api.device.MemoryInfo;

/** The driver: memory, and the attributes of addresses. */
final class DriverMemory {
  /** Flags of page-locked memory: portable, mapped, write-combined. */
  private static final int KNOWN_HOST_FLAGS = 7;

  private static final int MAPPED = 2;
  private static final int KNOWN_REGISTER_FLAGS = 15;
  private static final int ATTACH_GLOBAL = 1;
  private static final int ATTACH_HOST = 2;

  /** The number of the host in the place of a device. */
  private static final int HOST = -1;

  private static final int MOST_ADVICE = 6;

  /** Attributes of addresses, and their values. */
  private static final int DEVICE_ORDINAL = 9;

  private static final int MOST_ATTRIBUTES = 21;
  private static final int UNKNOWN_DEVICE = -2;
  private static final int READ_WRITE = 3;

  private DriverMemory() {}

  private static CudaMemory memory() {
    return CudaProcess.get().memory;
  }

  private static CudaContext context() {
    return CudaThread.current().context();
  }

  static void cuMemGetInfo(Result free, Result total) {
    MemoryInfo info = context().device.getMemoryInfo();
    free.set(info.freeBytes());
    total.set(info.totalBytes());
  }

  static void cuMemAlloc(Result pointer, long bytes) {
    pointer.set(memory().allocate(context(), bytes));
  }

  static void cuMemAllocPitch(
      Result pointer, Result pitch, long width, long height, int elementBytes) {
    pitch.set(0);
    boolean possible = elementBytes == 4 || elementBytes == 8 || elementBytes == 16;
    CudaError.require(possible && height > 0, CudaError.INVALID_VALUE);
    long rounded = CudaMemory.pitchOf(width);
    pointer.set(memory().allocate(context(), Math.multiplyExact(rounded, height)));
    pitch.set(rounded);
  }

  static void cuMemFree(long pointer) {
    memory().free(pointer);
  }

  static void cuMemAllocAsync(Result pointer, long bytes, long stream) {
    CudaStream on = context().stream(stream);
    pointer.set(memory().allocate(on, CudaProcess.get().pool(on.context.device).pool, bytes));
  }

  static void cuMemFreeAsync(long pointer, long stream) {
    memory().free(pointer, context().stream(stream));
  }

  /** Frees in stream order as the runtime does, to which null is no memory and fine. */
  static void cudaFreeAsync(long pointer, long stream) {
    if (pointer != 0) {
      cuMemFreeAsync(pointer, stream);
    }
  }

  static void cuMemGetAddressRange(@Nullable Result base, @Nullable Result size, long pointer) {
    Block block = at(pointer, CudaError.NOT_FOUND);
    if (base != null) {
      base.set(block.address());
    }
    if (size != null) {
      size.set(block.bytes());
    }
  }

  private static Block at(long address, int status) {
    return CudaError.found(memory().at(address), status);
  }

  static void cuMemAllocManaged(Result pointer, long bytes, int flags) {
    CudaError.require(flags == ATTACH_GLOBAL || flags == ATTACH_HOST, CudaError.INVALID_VALUE);
    Block block = memory().allocateManaged(context(), bytes, flags);
    if (flags == ATTACH_HOST) {
      // JCuda gives the program a buffer only then.
      pointer.setHost(block.address(), block.bytes());
    } else {
      pointer.set(block.address());
    }
  }

  static void cuMemAllocHost(Result pointer, long bytes) {
    allocateHost(pointer, bytes, 0);
  }

  static void cuMemHostAlloc(Result pointer, long bytes, int flags) {
    CudaError.require((flags & ~KNOWN_HOST_FLAGS) == 0, CudaError.INVALID_VALUE);
    allocateHost(pointer, bytes, flags);
  }

  /** Allocates page-locked memory, which every device maps. */
  private static void allocateHost(Result pointer, long bytes, int flags) {
    Block block = memory().allocateHost(context(), bytes, flags | MAPPED);
    pointer.setHost(block.address(), block.bytes());
  }

  static void cuMemFreeHost(CudaPointer pointer) {
    memory().freeHost(pointer.address());
  }

  static void cuMemHostRegister(CudaPointer pointer, long bytes, int flags) {
    CudaError.require((flags & ~KNOWN_REGISTER_FLAGS) == 0, CudaError.INVALID_VALUE);
    CudaError.require(bytes > 0 && !pointer.isNull(), CudaError.INVALID_VALUE);
    if (pointer.address() == 0) {
      throw new IllegalArgumentException(
          "an array cannot be page-locked, because the JVM moves it: use a direct buffer");
    }
    ByteBuffer host = pointer.read(Math.toIntExact(bytes));
    memory().register(context(), host, flags | MAPPED);
  }

  static void cuMemHostUnregister(CudaPointer pointer) {
    memory().unregister(pointer.address());
  }

  static void cuMemHostGetDevicePointer(Result result, CudaPointer pointer, int flags) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    hostBlock(pointer);
    result.set(pointer.address());
  }

  private static Block hostBlock(CudaPointer pointer) {
    Block block = at(pointer.address(), CudaError.INVALID_VALUE);
    CudaError.require(block.isOfHost(), CudaError.INVALID_VALUE);
    return block;
  }

  static void cuMemHostGetFlags(Result flags, CudaPointer pointer) {
    flags.set(hostBlock(pointer).flags());
  }

  /** Accepts advice, which changes no result. */
  static void cuMemAdvise(long address, long bytes, int advice, int device) {
    requireManaged(address, device);
    CudaError.require(advice >= 1 && advice <= MOST_ADVICE, CudaError.INVALID_VALUE);
  }

  private static void requireManaged(long address, int device) {
    boolean isManaged = at(address, CudaError.INVALID_VALUE).kind() == Kind.MANAGED;
    CudaError.require(isManaged, CudaError.INVALID_VALUE);
    if (device != HOST) {
      DriverDevices.device(device);
    }
  }

  /** Accepts a prefetch, since managed memory of the simulator is where it is accessed. */
  static void cuMemPrefetchAsync(long address, long bytes, int device, long stream) {
    requireManaged(address, device);
    context().stream(stream);
  }

  static void cuMemPrefetchAsync(long address, long bytes, int device, int flags, long stream) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    cuMemPrefetchAsync(address, bytes, device, stream);
  }

  /** Accepts an attachment of managed memory, which every stream and the host may access here. */
  static void cuStreamAttachMemAsync(long stream, long address, long bytes, int flags) {
    context().stream(stream);
    CudaError.require(Integer.bitCount(flags & 7) == 1, CudaError.INVALID_VALUE);
    requireManaged(address, HOST);
  }

  static void cuPointerGetAttribute(CudaPointer data, int attribute, long pointer) {
    Block block = at(pointer, CudaError.INVALID_VALUE);
    switch (attribute) {
      case 1 -> data.write(block.context().handle);
      case 2 -> data.write(block.isOfHost() ? 1 : 2);
      case 3 -> data.write(pointer);
      case 4 -> {
        CudaError.require(block.buffer() != null, CudaError.INVALID_VALUE);
        data.write(pointer);
      }
      case 6 -> data.write(block.isOfHost() ? 0 : 1);
      case 7, 11 -> data.write(block.address());
      case 8 -> data.write(block.kind() == Kind.MANAGED ? 1 : 0);
      case 9 -> data.write(block.context().device.getOrdinal());
      case 12 -> data.write(block.bytes());
      case 10, 13 -> data.write(1);
      case 14 -> data.write(0L);
      case 15, 21 -> data.write(block.kind() == Kind.PLAIN ? 1 : 0);
      case 16 -> data.write(READ_WRITE);
      default -> {
        CudaError.require(attribute > 0 && attribute <= MOST_ATTRIBUTES, CudaError.INVALID_VALUE);
        throw new UnsupportedOperationException(
            "cuPointerGetAttribute: the attribute " + attribute + " is not simulated");
      }
    }
  }

  /** Writes attributes, and 0 for those that an address does not have. */
  static void cuPointerGetAttributes(
      int count, CudaPointer attributes, CudaPointer values, long pointer) {
    CudaError.require(count > 0, CudaError.INVALID_VALUE);
    for (int i = 0; i < count; i++) {
      int attribute = attributes.plus((long) i * Integer.BYTES).readInt();
      CudaPointer value = CudaPointer.at(values.plus((long) i * Long.BYTES).readLong());
      try {
        cuPointerGetAttribute(value, attribute, pointer);
      } catch (CudaError unknown) {
        value.write(attribute == DEVICE_ORDINAL ? UNKNOWN_DEVICE : 0);
      }
    }
  }
}
