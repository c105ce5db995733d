package org.vramkit.agent;

import static org.vramkit.agent.JCudaPointers.handleOf;
import static org.vramkit.agent.JCudaPointers.requireNonNull;
import static org.vramkit.agent.JCudaPointers.unifiedAddressOf;

import jcuda.Pointer;
import jcuda.runtime.cudaExtent;
import jcuda.runtime.cudaPitchedPtr;
import jcuda.runtime.cudaPointerAttributes;
import jcuda.runtime.cudaStream_t;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.CudaCopies.Rows;
import org.vramkit.agent.CudaCopies.Side;
import org.vramkit.agent.CudaMemory.Block;
import org.vramkit.agent.CudaMemory.Kind;
import org.vramkit.api.device.MemoryInfo;

/** JCuda's runtime: memory, copies and sets. */
final class JCudaRuntimeMemory {
  /** Directions of copies; JCuda refuses the others itself. */
  private static final int HOST_TO_HOST = 0;

  private static final int HOST_TO_DEVICE = 1;
  private static final int DEVICE_TO_HOST = 2;
  private static final int DEVICE_TO_DEVICE = 3;

  private static final int KNOWN_HOST_FLAGS = 7;
  private static final int KNOWN_REGISTER_FLAGS = 15;
  private static final int ATTACH_HOST = 2;

  /** Types of memory in the attributes of an address. */
  private static final int UNREGISTERED = 0;

  private static final int HOST = 1;
  private static final int DEVICE = 2;
  private static final int MANAGED = 3;
  private static final int NO_DEVICE = -2;

  private JCudaRuntimeMemory() {}

  private static CudaContext context() {
    return CudaThread.current().context();
  }

  private static CudaMemory memory() {
    return CudaProcess.get().memory;
  }

  // ---- memory ----

  static int cudaMemGetInfo(long[] free, long[] total) {
    requireNonNull(free, "free", "cudaMemGetInfo");
    requireNonNull(total, "total", "cudaMemGetInfo");
    MemoryInfo info = context().device.getMemoryInfo();
    free[0] = info.freeBytes();
    total[0] = info.totalBytes();
    return 0;
  }

  static int cudaMalloc(Pointer pointer, long bytes) {
    requireNonNull(pointer, "devPtr", "cudaMalloc");
    JCudaPointers.set(pointer, bytes == 0 ? 0 : memory().allocate(context(), bytes));
    return 0;
  }

  static int cudaMallocPitch(Pointer pointer, long[] pitch, long width, long height) {
    requireNonNull(pointer, "devPtr", "cudaMallocPitch");
    requireNonNull(pitch, "pitch", "cudaMallocPitch");
    long rounded = CudaMemory.pitchOf(width);
    CudaError.require(height > 0, CudaError.INVALID_VALUE);
    JCudaPointers.set(pointer, memory().allocate(context(), Math.multiplyExact(rounded, height)));
    pitch[0] = rounded;
    return 0;
  }

  static int cudaMalloc3D(cudaPitchedPtr pitched, cudaExtent extent) {
    requireNonNull(pitched, "pitchDevPtr", "cudaMalloc3D");
    requireNonNull(extent, "extent", "cudaMalloc3D");
    CudaError.require(extent.height > 0 && extent.depth > 0, CudaError.INVALID_VALUE);
    long pitch = CudaMemory.pitchOf(extent.width);
    long rows = Math.multiplyExact(extent.height, extent.depth);
    if (pitched.ptr == null) {
      pitched.ptr = new Pointer();
    }
    JCudaPointers.set(pitched.ptr, memory().allocate(context(), Math.multiplyExact(pitch, rows)));
    pitched.pitch = pitch;
    pitched.xsize = extent.width;
    pitched.ysize = extent.height;
    return 0;
  }

  static int cudaMallocHost(Pointer pointer, long bytes) {
    requireNonNull(pointer, "ptr", "cudaMallocHost");
    JCudaMemory.allocateHost(pointer, bytes, 0);
    return 0;
  }

  static int cudaHostAlloc(Pointer pointer, long bytes, int flags) {
    requireNonNull(pointer, "ptr", "cudaHostAlloc");
    CudaError.require((flags & ~KNOWN_HOST_FLAGS) == 0, CudaError.INVALID_VALUE);
    JCudaMemory.allocateHost(pointer, bytes, flags);
    return 0;
  }

  static int cudaMallocManaged(Pointer pointer, long bytes, int flags) {
    requireNonNull(pointer, "devPtr", "cudaMallocManaged");
    Block block = JCudaMemory.manage(bytes, flags);
    // JCuda gives the program a buffer only if the memory is attached to the host.
    if (flags == ATTACH_HOST) {
      JCudaPointers.set(pointer, JCudaMemory.bytesOf(block));
    } else {
      JCudaPointers.set(pointer, block.address());
    }
    return 0;
  }

  static int cudaFree(@Nullable Pointer pointer) {
    memory().free(pointer == null ? 0 : unifiedAddressOf(pointer));
    return 0;
  }

  static int cudaFreeHost(@Nullable Pointer pointer) {
    long host = pointer == null ? 0 : JCudaPointers.hostAddressOf(pointer);
    if (host != 0) {
      memory().freeHost(host);
    }
    return 0;
  }

  static int cudaHostRegister(Pointer pointer, long bytes, int flags) {
    requireNonNull(pointer, "ptr", "cudaHostRegister");
    CudaError.require((flags & ~KNOWN_REGISTER_FLAGS) == 0, CudaError.INVALID_VALUE);
    JCudaMemory.register(pointer, bytes, flags);
    return 0;
  }

  static int cudaHostUnregister(Pointer pointer) {
    requireNonNull(pointer, "ptr", "cudaHostUnregister");
    memory().unregister(JCudaPointers.hostAddressOf(pointer));
    return 0;
  }

  static int cudaHostGetDevicePointer(Pointer result, Pointer pointer, int flags) {
    requireNonNull(result, "pDevice", "cudaHostGetDevicePointer");
    requireNonNull(pointer, "pHost", "cudaHostGetDevicePointer");
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    JCudaPointers.set(result, JCudaMemory.deviceAddressOf(pointer));
    return 0;
  }

  @SuppressWarnings("deprecation") // programs read the older fields, too
  static int cudaPointerGetAttributes(cudaPointerAttributes attributes, Pointer pointer) {
    requireNonNull(attributes, "attributes", "cudaPointerGetAttributes");
    requireNonNull(pointer, "ptr", "cudaPointerGetAttributes");
    long address = unifiedAddressOf(pointer);
    Block block = memory().at(address);
    attributes.type = block == null ? UNREGISTERED : typeOf(block);
    attributes.memoryType = Math.min(attributes.type, DEVICE);
    attributes.isManaged = attributes.type == MANAGED ? 1 : 0;
    attributes.device = block == null ? NO_DEVICE : block.context().device.getOrdinal();
    attributes.devicePointer = new Pointer();
    attributes.hostPointer = new Pointer();
    if (block != null) {
      JCudaPointers.set(attributes.devicePointer, address);
    }
    if (block != null && block.host() != 0) {
      JCudaPointers.set(attributes.hostPointer, block.host() + address - block.address());
    }
    return 0;
  }

  private static int typeOf(Block block) {
    return block.kind() == Kind.MANAGED ? MANAGED : block.isOfHost() ? HOST : DEVICE;
  }

  // ---- copies ----

  private static CudaCopies now() {
    CudaContext context = context();
    return new CudaCopies(context.process.memory, context.stream(CudaStream.DEFAULT), true);
  }

  private static CudaCopies on(@Nullable cudaStream_t stream) {
    CudaContext context = context();
    return new CudaCopies(context.process.memory, context.stream(handleOf(stream)), false);
  }

  /** Refuses a direction that JCuda does not know, which the runtime does not see. */
  private static boolean isKnown(int kind) {
    boolean known = kind >= HOST_TO_HOST && kind <= DEVICE_TO_DEVICE;
    if (!known) {
      System.out.println("Invalid cudaMemcpyKind given: " + kind);
      CudaThread.current().refusedByBinding = true;
    }
    return known;
  }

  /** Returns whether a side is memory that the driver knows. */
  private static boolean isUnified(Side side) {
    HostMemory host = side.host();
    return (host == null ? memory().at(side.address()) : memory().atHost(host.getAddress()))
        != null;
  }

  /** Refuses a direction that does not fit the pointers. */
  private static void requireDirection(Side target, Side source, int kind) {
    boolean fits =
        switch (kind) {
          case HOST_TO_DEVICE -> isUnified(target);
          case DEVICE_TO_HOST -> isUnified(source);
          case DEVICE_TO_DEVICE -> isUnified(target) && isUnified(source);
          default -> isOfHost(target) && isOfHost(source);
        };
    CudaError.require(fits, CudaError.INVALID_VALUE);
  }

  private static boolean isOfHost(Side side) {
    Block block = side.host() == null ? memory().at(side.address()) : null;
    return side.host() != null || (block != null && block.host() != 0);
  }

  private static int copy(CudaCopies copies, Pointer target, Pointer source, long bytes, int kind) {
    if (!isKnown(kind)) {
      return CudaError.INVALID_MEMCPY_DIRECTION;
    }
    Side to = JCudaPointers.sideOf(target);
    Side from = JCudaPointers.sideOf(source);
    if (bytes != 0) {
      requireDirection(to, from, kind);
    }
    copies.copy(to, from, bytes);
    return 0;
  }

  static int cudaMemcpy(Pointer target, Pointer source, long bytes, int kind) {
    requireNonNull(target, "dst", "cudaMemcpy");
    requireNonNull(source, "src", "cudaMemcpy");
    return copy(now(), target, source, bytes, kind);
  }

  static int cudaMemcpyAsync(
      Pointer target, Pointer source, long bytes, int kind, @Nullable cudaStream_t stream) {
    requireNonNull(target, "dst", "cudaMemcpyAsync");
    requireNonNull(source, "src", "cudaMemcpyAsync");
    return copy(on(stream), target, source, bytes, kind);
  }

  static int cudaMemcpy2D(
      Pointer target,
      long targetPitch,
      Pointer source,
      long sourcePitch,
      long width,
      long height,
      int kind) {
    requireNonNull(target, "dst", "cudaMemcpy2D");
    requireNonNull(source, "src", "cudaMemcpy2D");
    Rows rows = new Rows(width, height);
    return copyRows(now(), target, targetPitch, source, sourcePitch, rows, kind);
  }

  static int cudaMemcpy2DAsync(
      Pointer target,
      long targetPitch,
      Pointer source,
      long sourcePitch,
      long width,
      long height,
      int kind,
      @Nullable cudaStream_t stream) {
    requireNonNull(target, "dst", "cudaMemcpy2DAsync");
    requireNonNull(source, "src", "cudaMemcpy2DAsync");
    Rows rows = new Rows(width, height);
    return copyRows(on(stream), target, targetPitch, source, sourcePitch, rows, kind);
  }

  private static int copyRows(
      CudaCopies copies,
      Pointer target,
      long targetPitch,
      Pointer source,
      long sourcePitch,
      Rows rows,
      int kind) {
    if (!isKnown(kind)) {
      return CudaError.INVALID_MEMCPY_DIRECTION;
    }
    Side to = JCudaPointers.sideOf(target);
    Side from = JCudaPointers.sideOf(source);
    if (!rows.isEmpty()) {
      requireDirection(to, from, kind);
    }
    copies.copyRows(to, targetPitch, from, sourcePitch, rows);
    return 0;
  }

  // ---- sets ----

  static int cudaMemset(Pointer target, int value, long bytes) {
    requireNonNull(target, "mem", "cudaMemset");
    now().set(unifiedAddressOf(target), value, 1, bytes);
    return 0;
  }

  static int cudaMemsetAsync(Pointer target, int value, long bytes, @Nullable cudaStream_t stream) {
    requireNonNull(target, "devPtr", "cudaMemsetAsync");
    on(stream).set(unifiedAddressOf(target), value, 1, bytes);
    return 0;
  }

  static int cudaMemset2D(Pointer target, long pitch, int value, long width, long height) {
    requireNonNull(target, "mem", "cudaMemset2D");
    now().setRows(unifiedAddressOf(target), pitch, value, 1, new Rows(width, height));
    return 0;
  }

  static int cudaMemset2DAsync(
      Pointer target,
      long pitch,
      int value,
      long width,
      long height,
      @Nullable cudaStream_t stream) {
    requireNonNull(target, "devPtr", "cudaMemset2DAsync");
    on(stream).setRows(unifiedAddressOf(target), pitch, value, 1, new Rows(width, height));
    return 0;
  }
}
