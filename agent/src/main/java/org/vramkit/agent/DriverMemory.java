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

  private DriverMemory() {}

  private static CudaMemory memory() {
    return CudaProcess.get().memory;
  }

  private static CudaContext context() {
    return CudaThread.current().context();
  }

  static int cuMemGetInfo(Result free, Result total) {
    MemoryInfo info = context().device.getMemoryInfo();
    free.set(info.freeBytes());
    total.set(info.totalBytes());
    return 0;
  }

  static int cuMemAlloc(Result pointer, long bytes) {
    pointer.set(memory().allocate(context(), bytes));
    return 0;
  }

  static int cuMemAllocPitch(
      Result pointer, Result pitch, long width, long height, int elementBytes) {
    boolean possible = elementBytes == 4 || elementBytes == 8 || elementBytes == 16;
    CudaError.require(possible && height > 0, CudaError.INVALID_VALUE);
    long rounded = CudaMemory.pitchOf(width);
    pointer.set(memory().allocate(context(), Math.multiplyExact(rounded, height)));
    pitch.set(rounded);
    return 0;
  }

  static int cuMemFree(long pointer) {
    memory().free(pointer);
    return 0;
  }

  static int cuMemAllocAsync(Result pointer, long bytes, long stream) {
    CudaStream on = context().stream(stream);
    pointer.set(memory().allocate(on, bytes));
    return 0;
  }

  static int cuMemFreeAsync(long pointer, long stream) {
    memory().free(pointer, context().stream(stream));
    return 0;
  }

  /** Frees in stream order as the runtime does, to which null is no memory and fine. */
  static int cudaFreeAsync(long pointer, long stream) {
    return pointer == 0 ? 0 : cuMemFreeAsync(pointer, stream);
  }

  static int cuMemGetAddressRange(@Nullable Result base, @Nullable Result size, long pointer) {
    Block block = at(pointer, CudaError.NOT_FOUND);
    if (base != null) {
      base.set(block.address());
    }
    if (size != null) {
      size.set(block.bytes());
    }
    return 0;
  }

  private static Block at(long address, int status) {
    return CudaError.found(memory().at(address), status);
  }

  static int cuMemAllocManaged(Result pointer, long bytes, int flags) {
    pointer.set(manage(bytes, flags).address());
    return 0;
  }

  static Block manage(long bytes, int flags) {
    CudaError.require(flags == ATTACH_GLOBAL || flags == ATTACH_HOST, CudaError.INVALID_VALUE);
    return memory().allocateManaged(context(), bytes, flags);
  }

  static int cuMemAllocHost(Result pointer, long bytes) {
    allocateHost(pointer, bytes, 0);
    return 0;
  }

  static int cuMemHostAlloc(Result pointer, long bytes, int flags) {
    CudaError.require((flags & ~KNOWN_HOST_FLAGS) == 0, CudaError.INVALID_VALUE);
    allocateHost(pointer, bytes, flags);
    return 0;
  }

  /** Allocates page-locked memory, which every device maps. */
  private static void allocateHost(Result pointer, long bytes, int flags) {
    Block block = memory().allocateHost(context(), bytes, flags | MAPPED);
    pointer.setHost(block.address(), block.bytes());
  }

  static int cuMemFreeHost(CudaPointer pointer) {
    memory().freeHost(pointer.address());
    return 0;
  }

  static int cuMemHostRegister(CudaPointer pointer, long bytes, int flags) {
    CudaError.require((flags & ~KNOWN_REGISTER_FLAGS) == 0, CudaError.INVALID_VALUE);
    CudaError.require(bytes > 0 && !pointer.isNull(), CudaError.INVALID_VALUE);
    if (pointer.address() == 0) {
      throw new IllegalArgumentException(
          "an array cannot be page-locked, because the JVM moves it: use a direct buffer");
    }
    ByteBuffer host = pointer.read(Math.toIntExact(bytes));
    memory().register(context(), host, flags | MAPPED);
    return 0;
  }

  static int cuMemHostUnregister(CudaPointer pointer) {
    memory().unregister(pointer.address());
    return 0;
  }

  static int cuMemHostGetDevicePointer(Result result, CudaPointer pointer, int flags) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    hostBlock(pointer);
    result.set(pointer.address());
    return 0;
  }

  private static Block hostBlock(CudaPointer pointer) {
    Block block = at(pointer.address(), CudaError.INVALID_VALUE);
    CudaError.require(block.isOfHost(), CudaError.INVALID_VALUE);
    return block;
  }

  static int cuMemHostGetFlags(Result flags, CudaPointer pointer) {
    flags.set(hostBlock(pointer).flags());
    return 0;
  }

  static int cuPointerGetAttribute(CudaPointer data, int attribute, long pointer) {
    Block block = at(pointer, CudaError.INVALID_VALUE);
    switch (attribute) {
      case 1 -> data.write(block.context().handle);
      case 2 -> data.write(block.isOfHost() ? 1 : 2);
      case 3 -> data.write(pointer);
      case 4 -> {
        CudaError.require(block.buffer() != null, CudaError.INVALID_VALUE);
        data.write(pointer);
      }
      case 8 -> data.write(block.kind() == Kind.MANAGED ? 1 : 0);
      case 9 -> data.write(block.context().device.getOrdinal());
      case 11 -> data.write(block.address());
      case 12 -> data.write(block.bytes());
      case 13 -> data.write(1);
      default ->
          throw new UnsupportedOperationException(
              "cuPointerGetAttribute: the attribute " + attribute + " is not simulated");
    }
    return 0;
  }
}
