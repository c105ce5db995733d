package org.vramkit.agent;

import static org.vramkit.agent.JCudaPointers.addressOf;
import static org.vramkit.agent.JCudaPointers.handleOf;
import static org.vramkit.agent.JCudaPointers.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.CudaMemory.Block;
import org.vramkit.agent.CudaMemory.Kind;
import org.vramkit.api.device.MemoryInfo;

/** JCuda's driver: memory, and the attributes of addresses. */
final class JCudaMemory {
  /** Flags of page-locked memory: portable, mapped, write-combined. */
  private static final int KNOWN_HOST_FLAGS = 7;

  private static final int MAPPED = 2;
  private static final int KNOWN_REGISTER_FLAGS = 15;
  private static final int ATTACH_GLOBAL = 1;
  private static final int ATTACH_HOST = 2;

  private JCudaMemory() {}

  private static CudaMemory memory() {
    return CudaProcess.get().memory;
  }

  private static CudaContext context() {
    return CudaThread.current().context();
  }

  static int cuMemGetInfo(long[] free, long[] total) {
    requireNonNull(free, "free", "cuMemGetInfo");
    requireNonNull(total, "total", "cuMemGetInfo");
    MemoryInfo info = context().device.getMemoryInfo();
    free[0] = info.freeBytes();
    total[0] = info.totalBytes();
    return 0;
  }

  static int cuMemAlloc(CUdeviceptr pointer, long bytes) {
    requireNonNull(pointer, "dptr", "cuMemAlloc");
    JCudaPointers.set(pointer, memory().allocate(context(), bytes));
    return 0;
  }

  static int cuMemAllocPitch(
      CUdeviceptr pointer, long[] pitch, long width, long height, int elementBytes) {
    requireNonNull(pointer, "dptr", "cuMemAllocPitch");
    requireNonNull(pitch, "pPitch", "cuMemAllocPitch");
    boolean possible = elementBytes == 4 || elementBytes == 8 || elementBytes == 16;
    CudaError.require(possible && height > 0, CudaError.INVALID_VALUE);
    long rounded = CudaMemory.pitchOf(width);
    JCudaPointers.set(pointer, memory().allocate(context(), Math.multiplyExact(rounded, height)));
    pitch[0] = rounded;
    return 0;
  }

  static int cuMemFree(CUdeviceptr pointer) {
    requireNonNull(pointer, "dptr", "cuMemFree");
    memory().free(addressOf(pointer));
    return 0;
  }

  static int cuMemAllocAsync(CUdeviceptr pointer, long bytes, @Nullable CUstream stream) {
    requireNonNull(pointer, "dptr", "cuMemAllocAsync");
    CudaStream on = context().stream(handleOf(stream));
    JCudaPointers.set(pointer, memory().allocate(on, bytes));
    return 0;
  }

  static int cuMemFreeAsync(CUdeviceptr pointer, @Nullable CUstream stream) {
    requireNonNull(pointer, "dptr", "cuMemFreeAsync");
    memory().free(addressOf(pointer), context().stream(handleOf(stream)));
    return 0;
  }

  static int cuMemGetAddressRange(
      @Nullable CUdeviceptr base, long @Nullable [] size, CUdeviceptr pointer) {
    requireNonNull(pointer, "dptr", "cuMemGetAddressRange");
    Block block = at(addressOf(pointer), CudaError.NOT_FOUND);
    if (base != null) {
      JCudaPointers.set(base, block.address());
    }
    if (size != null) {
      size[0] = block.bytes();
    }
    return 0;
  }

  private static Block at(long address, int status) {
    return CudaError.found(memory().at(address), status);
  }

  static int cuMemAllocManaged(CUdeviceptr pointer, long bytes, int flags) {
    requireNonNull(pointer, "dptr", "cuMemAllocManaged");
    JCudaPointers.set(pointer, manage(bytes, flags).address());
    return 0;
  }

  static Block manage(long bytes, int flags) {
    CudaError.require(flags == ATTACH_GLOBAL || flags == ATTACH_HOST, CudaError.INVALID_VALUE);
    return memory().allocateManaged(context(), bytes, flags);
  }

  static int cuMemAllocHost(Pointer pointer, long bytes) {
    requireNonNull(pointer, "pointer", "cuMemAllocHost");
    allocateHost(pointer, bytes, 0);
    return 0;
  }

  static int cuMemHostAlloc(Pointer pointer, long bytes, int flags) {
    requireNonNull(pointer, "pp", "cuMemHostAlloc");
    CudaError.require((flags & ~KNOWN_HOST_FLAGS) == 0, CudaError.INVALID_VALUE);
    allocateHost(pointer, bytes, flags);
    return 0;
  }

  /** Allocates page-locked memory, which every device maps. */
  static void allocateHost(Pointer pointer, long bytes, int flags) {
    Block block = memory().allocateHost(context(), bytes, flags | MAPPED);
    JCudaPointers.set(pointer, bytesOf(block));
  }

  /** Returns the memory of a block of the host, in the byte order of the device. */
  static ByteBuffer bytesOf(Block block) {
    return block
        .requireBuffer()
        .getBytes(0, Math.toIntExact(block.bytes()))
        .order(ByteOrder.nativeOrder());
  }

  static int cuMemFreeHost(Pointer pointer) {
    requireNonNull(pointer, "p", "cuMemFreeHost");
    memory().freeHost(JCudaPointers.hostAddressOf(pointer));
    return 0;
  }

  static int cuMemHostRegister(Pointer pointer, long bytes, int flags) {
    requireNonNull(pointer, "p", "cuMemHostRegister");
    CudaError.require((flags & ~KNOWN_REGISTER_FLAGS) == 0, CudaError.INVALID_VALUE);
    register(pointer, bytes, flags);
    return 0;
  }

  static void register(Pointer pointer, long bytes, int flags) {
    HostMemory host = CudaError.found(JCudaPointers.hostOf(pointer), CudaError.INVALID_VALUE);
    CudaError.require(bytes > 0, CudaError.INVALID_VALUE);
    if (host.getAddress() == 0) {
      throw new IllegalArgumentException(
          "an array cannot be page-locked, because the JVM moves it: use a direct buffer");
    }
    memory().register(context(), host.read(Math.toIntExact(bytes)), flags | MAPPED);
  }

  static int cuMemHostUnregister(Pointer pointer) {
    requireNonNull(pointer, "p", "cuMemHostUnregister");
    memory().unregister(JCudaPointers.hostAddressOf(pointer));
    return 0;
  }

  static int cuMemHostGetDevicePointer(CUdeviceptr result, Pointer pointer, int flags) {
    requireNonNull(result, "ret", "cuMemHostGetDevicePointer");
    requireNonNull(pointer, "p", "cuMemHostGetDevicePointer");
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    JCudaPointers.set(result, deviceAddressOf(pointer));
    return 0;
  }

  /** Returns the address that devices have for page-locked memory. */
  static long deviceAddressOf(Pointer pointer) {
    long host = JCudaPointers.hostAddressOf(pointer);
    return hostBlock(pointer).address() + host - hostBlock(pointer).host();
  }

  private static Block hostBlock(Pointer pointer) {
    Block block =
        CudaError.found(
            memory().atHost(JCudaPointers.hostAddressOf(pointer)), CudaError.INVALID_VALUE);
    CudaError.require(block.isOfHost(), CudaError.INVALID_VALUE);
    return block;
  }

  static int cuMemHostGetFlags(int[] flags, Pointer pointer) {
    requireNonNull(flags, "pFlags", "cuMemHostGetFlags");
    requireNonNull(pointer, "p", "cuMemHostGetFlags");
    flags[0] = hostBlock(pointer).flags();
    return 0;
  }

  static int cuPointerGetAttribute(Pointer data, int attribute, CUdeviceptr pointer) {
    requireNonNull(data, "data", "cuPointerGetAttribute");
    requireNonNull(pointer, "ptr", "cuPointerGetAttribute");
    long address = addressOf(pointer);
    Block block = at(address, CudaError.INVALID_VALUE);
    HostMemory target = CudaError.found(JCudaPointers.hostOf(data), CudaError.INVALID_VALUE);
    switch (attribute) {
      case 1 -> write(target, block.context().handle);
      case 2 -> write(target, block.isOfHost() ? 1 : 2);
      case 3 -> write(target, address);
      case 4 -> {
        CudaError.require(block.host() != 0, CudaError.INVALID_VALUE);
        write(target, block.host() + address - block.address());
      }
      case 8 -> write(target, block.kind() == Kind.MANAGED ? 1 : 0);
      case 9 -> write(target, block.context().device.getOrdinal());
      case 11 -> write(target, block.address());
      case 12 -> write(target, block.bytes());
      case 13 -> write(target, 1);
      default ->
          throw new UnsupportedOperationException(
              "cuPointerGetAttribute: the attribute " + attribute + " is not simulated");
    }
    return 0;
  }

  private static void write(HostMemory target, long value) {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    target.write(bytes.putLong(0, value));
  }

  private static void write(HostMemory target, int value) {
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
    target.write(bytes.putInt(0, value));
  }
}
