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
  private static final int PORTABLE = 1;
  private static final int OF_BUS = 4;
  private static final int ATTACH_GLOBAL = 1;
  private static final int ATTACH_HOST = 2;
  private static final int ATTACH_SINGLE = 4;

  /** The number of the host in the place of a device. */
  private static final int HOST = -1;

  private static final int PREFER = 3;
  private static final int ACCESSED_BY = 5;
  private static final int MOST_ADVICE = 6;

  /** Attributes of addresses, and their values. */
  private static final int DEVICE_POINTER = 3;

  private static final int HOST_POINTER = 4;
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

  static void cuMemGetInfo(@Nullable Result free, @Nullable Result total) {
    MemoryInfo info = context().device.getMemoryInfo();
    if (free != null) {
      free.set(info.freeBytes());
    }
    if (total != null) {
      total.set(info.totalBytes());
    }
  }

  static void cuMemAlloc(Result pointer, long bytes) {
    pointer.set(0);
    pointer.set(memory().allocate(context(), bytes));
  }

  static void cuMemAllocPitch(
      Result pointer, Result pitch, long width, long height, int elementBytes) {
    pointer.set(0);
    pitch.set(0);
    boolean possible = elementBytes == 4 || elementBytes == 8 || elementBytes == 16;
    CudaError.require(possible && width != 0 && height != 0, CudaError.INVALID_VALUE);
    long rounded = CudaMemory.pitchOf(width);
    pitch.set(rounded);
    // The driver does not look for an overflow.
    pointer.set(memory().allocate(context(), rounded * height));
  }

  static void cuMemFree(long pointer) {
    memory().free(pointer);
  }

  static void cuMemAllocAsync(Result pointer, long bytes, long stream) {
    CudaStream on = context().stream(stream);
    allocate(pointer, bytes, on, CudaProcess.get().pool(on.context.device));
  }

  /** Allocates from a pool in stream order; an allocation of nothing is null. */
  static void allocate(Result pointer, long bytes, CudaStream on, CudaPool from) {
    pointer.set(0);
    if (on.capture != null) {
      throw new UnsupportedOperationException("nodes of graphs for memory are not simulated");
    }
    if (bytes != 0) {
      pointer.set(memory().allocate(on, from.pool, bytes));
    }
  }

  static void cuMemFreeAsync(long pointer, long stream) {
    CudaStream on = context().stream(stream);
    if (pointer != 0) {
      // A graph frees only what it has allocated.
      CudaError.require(on.capture == null, CudaError.INVALID_VALUE);
      memory().free(pointer, on);
    }
  }

  static void cuMemGetAddressRange(@Nullable Result base, @Nullable Result size, long pointer) {
    Block found = memory().at(pointer);
    Block block = found != null && found.isOpen() ? found : null;
    if (base != null) {
      base.set(block == null ? 0 : block.address());
    }
    if (size != null) {
      size.set(block == null ? 0 : block.bytes());
    }
    CudaError.require(block != null, CudaError.NOT_FOUND);
  }

  private static Block at(long address, int status) {
    return CudaError.found(memory().at(address), status);
  }

  static void cuMemAllocManaged(Result pointer, long bytes, int flags) {
    pointer.set(0);
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
    cuMemHostAlloc(pointer, bytes, 0);
  }

  /** Allocates page-locked memory, which every device maps; nothing is null. */
  static void cuMemHostAlloc(Result pointer, long bytes, int flags) {
    pointer.set(0);
    CudaError.require((flags & ~KNOWN_HOST_FLAGS) == 0, CudaError.INVALID_VALUE);
    if (bytes != 0) {
      Block block = memory().allocateHost(context(), bytes, flags | MAPPED);
      pointer.setHost(block.address(), block.bytes());
    }
  }

  static void cuMemFreeHost(CudaPointer pointer) {
    if (!pointer.isNull()) {
      memory().freeHost(pointer.address());
    }
  }

  static void cuMemHostRegister(CudaPointer pointer, long bytes, int flags) {
    // Memory of devices on the bus is none of the program's.
    boolean isPossible = (flags & ~KNOWN_REGISTER_FLAGS) == 0 && (flags & OF_BUS) == 0;
    CudaError.require(isPossible, CudaError.INVALID_VALUE);
    CudaError.require(bytes > 0 && !pointer.isNull(), CudaError.INVALID_VALUE);
    requireAddress(pointer);
    CudaError.require(bytes <= Integer.MAX_VALUE, CudaError.OUT_OF_MEMORY);
    ByteBuffer host = pointer.read((int) bytes);
    memory().register(context(), host, (flags & PORTABLE) | MAPPED);
  }

  /** Refuses an array, as JCuda does, since the JVM moves it. */
  private static void requireAddress(CudaPointer pointer) {
    if (pointer.address() == 0 && !pointer.isNull()) {
      throw new IllegalArgumentException("Pointer must point to a direct buffer or native memory");
    }
  }

  static void cuMemHostUnregister(CudaPointer pointer) {
    memory().unregister(pointer.address());
  }

  static void cuMemHostGetDevicePointer(Result result, CudaPointer pointer, int flags) {
    requireAddress(pointer);
    result.set(0);
    boolean isHost = at(pointer.address(), CudaError.INVALID_VALUE).isOfHost();
    CudaError.require(flags == 0 && isHost, CudaError.INVALID_VALUE);
    result.set(pointer.address());
  }

  static void cuMemHostGetFlags(Result flags, CudaPointer pointer) {
    requireAddress(pointer);
    Block block = at(pointer.address(), CudaError.INVALID_VALUE);
    CudaError.require(block.buffer() != null, CudaError.INVALID_VALUE);
    flags.set(block.isOfHost() ? block.flags() : MAPPED);
  }

  /** Accepts advice, which changes no result; some is not about a device. */
  static void cuMemAdvise(long address, long bytes, int advice, int device) {
    requireManaged(address, bytes);
    CudaError.require(advice >= 1 && advice <= MOST_ADVICE, CudaError.INVALID_VALUE);
    boolean isForDevice = advice == PREFER || advice >= ACCESSED_BY;
    CudaError.require(!isForDevice || isKnown(device), CudaError.INVALID_VALUE);
  }

  private static boolean isKnown(int device) {
    return device == HOST || (device >= 0 && device < CudaProcess.get().getDeviceCount());
  }

  private static void requireManaged(long address, long bytes) {
    Block block = at(address, CudaError.INVALID_VALUE);
    boolean isInside = bytes > 0 && bytes <= block.bytes() - (address - block.address());
    CudaError.require(block.kind() == Kind.MANAGED && isInside, CudaError.INVALID_VALUE);
  }

  /** Accepts a prefetch, since managed memory of the simulator is where it is accessed. */
  static void cuMemPrefetchAsync(long address, long bytes, int device, long stream) {
    DriverStreams.uncaptured(stream);
    CudaError.require(isKnown(device), CudaError.INVALID_DEVICE);
    requireManaged(address, bytes);
  }

  static void cuMemPrefetchAsync(long address, long bytes, int device, int flags, long stream) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    cuMemPrefetchAsync(address, bytes, device, stream);
  }

  /** Accepts an attachment of managed memory, which every stream and the host may access here. */
  static void cuStreamAttachMemAsync(long stream, long address, long bytes, int flags) {
    DriverStreams.uncaptured(stream);
    boolean isKnown = Integer.bitCount(flags) == 1 && flags <= ATTACH_SINGLE && flags > 0;
    CudaError.require(isKnown, CudaError.INVALID_VALUE);
    boolean isOfAll = stream == CudaStream.DEFAULT && flags == ATTACH_SINGLE;
    CudaError.require(!isOfAll, CudaError.INVALID_VALUE);
    Block block = at(address, CudaError.INVALID_VALUE);
    boolean isWhole = block.address() == address && (bytes == 0 || bytes == block.bytes());
    CudaError.require(block.kind() == Kind.MANAGED && isWhole, CudaError.INVALID_VALUE);
  }

  static void cuPointerGetAttribute(CudaPointer data, int attribute, long pointer) {
    boolean has = write(at(pointer, CudaError.INVALID_VALUE), data, attribute, pointer);
    CudaError.require(has, CudaError.INVALID_VALUE);
  }

  /** Writes an attribute; returns false if the block does not have it, which then is 0. */
  private static boolean write(Block block, CudaPointer data, int attribute, long pointer) {
    boolean isPlain = block.kind() == Kind.PLAIN;
    boolean isOfContext = block.kind() != Kind.MAPPED && block.kind() != Kind.STREAM_ORDERED;
    boolean has =
        switch (attribute) {
          case DEVICE_POINTER -> block.isOpen();
          case HOST_POINTER -> block.buffer() != null;
          default -> attribute > 0 && attribute <= MOST_ATTRIBUTES;
        };
    switch (attribute) {
      case 1 -> data.write(isOfContext ? block.context().handle : 0);
      case 2 -> data.write(block.isOfHost() ? 1 : 2);
      case DEVICE_POINTER, HOST_POINTER -> data.write(has ? pointer : 0);
      case 6, 8 -> data.write(block.kind() == Kind.MANAGED ? 1 : 0);
      case 7, 11 -> data.write(block.address());
      case DEVICE_ORDINAL -> data.write(block.context().device.getOrdinal());
      case 12 -> data.write(block.bytes());
      case 13 -> data.write(1);
      case 14 -> data.write(0L);
      case 10, 15, 21 -> data.write(isPlain ? 1 : 0);
      case 16 -> data.write(block.isOpen() ? READ_WRITE : 0);
      default -> {
        if (has) {
          throw new UnsupportedOperationException(
              "cuPointerGetAttribute: the attribute " + attribute + " is not simulated");
        }
      }
    }
    return has;
  }

  /** Writes attributes, and 0 for those that an address does not have. */
  static void cuPointerGetAttributes(
      int count, CudaPointer attributes, CudaPointer values, long pointer) {
    CudaError.require(count > 0, CudaError.INVALID_VALUE);
    Block block = memory().at(pointer);
    for (int i = 0; i < count; i++) {
      int attribute = attributes.plus((long) i * Integer.BYTES).readInt();
      CudaPointer value = CudaPointer.at(values.plus((long) i * Long.BYTES).readLong());
      if (block != null) {
        write(block, value, attribute, pointer);
      } else {
        unknown(value, attribute, pointer);
      }
    }
  }

  /** Writes what an address has that the driver does not know: it may be one of the host. */
  private static void unknown(CudaPointer value, int attribute, long pointer) {
    switch (attribute) {
      case HOST_POINTER -> value.write(pointer);
      case 1, DEVICE_POINTER, 7, 11, 12, 14 -> value.write(0L);
      default -> value.write(attribute == DEVICE_ORDINAL ? UNKNOWN_DEVICE : 0);
    }
  }
}
