package org.vramkit.agent;

import org.vramkit.agent.Arguments.Binding;
import org.vramkit.agent.Arguments.Call;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.agent.CudaCopies.Rows;
import org.vramkit.agent.CudaMemory.Block;
import org.vramkit.agent.CudaMemory.Kind;

/** The runtime: memory, copies and sets, where it differs from the driver. */
final class RuntimeMemory {
  /** Directions of copies. */
  private static final int HOST_TO_HOST = 0;

  private static final int HOST_TO_DEVICE = 1;
  private static final int DEVICE_TO_HOST = 2;
  private static final int DEVICE_TO_DEVICE = 3;
  private static final int DEFAULT = 4;

  private static final int ATTACH_GLOBAL = 1;
  private static final int ATTACH_HOST = 2;

  /** Types of memory in the attributes of an address. */
  private static final int UNREGISTERED = 0;

  private static final int HOST = 1;
  private static final int DEVICE = 2;
  private static final int MANAGED = 3;
  private static final int NO_DEVICE = -2;

  private RuntimeMemory() {}

  private static CudaContext context() {
    return CudaThread.current().context();
  }

  private static CudaMemory memory() {
    return CudaProcess.get().memory;
  }

  // ---- memory ----

  static int cudaMalloc(Result pointer, long bytes) {
    pointer.set(bytes == 0 ? 0 : memory().allocate(context(), bytes));
    return 0;
  }

  static int cudaMallocPitch(Result pointer, Result pitch, long width, long height) {
    return DriverMemory.cuMemAllocPitch(pointer, pitch, width, height, Integer.BYTES);
  }

  static int cudaMalloc3D(Struct pitched, Struct extent) {
    long height = extent.get("height");
    long depth = extent.get("depth");
    CudaError.require(height > 0 && depth > 0, CudaError.INVALID_VALUE);
    long pitch = CudaMemory.pitchOf(extent.get("width"));
    long bytes = Math.multiplyExact(pitch, Math.multiplyExact(height, depth));
    pitched.setPointer("ptr", memory().allocate(context(), bytes));
    pitched.set("pitch", pitch);
    pitched.set("xsize", extent.get("width"));
    pitched.set("ysize", height);
    return 0;
  }

  static int cudaMallocManaged(Call call, Result pointer, long bytes) {
    return cudaMallocManaged(call, pointer, bytes, ATTACH_GLOBAL);
  }

  static int cudaMallocManaged(Call call, Result pointer, long bytes, int flags) {
    Block block = DriverMemory.manage(bytes, flags);
    if (call.binding() == Binding.JCUDA && flags == ATTACH_HOST) {
      // JCuda gives the program a buffer only if the memory is attached to the host.
      pointer.setHost(block.address(), block.bytes());
    } else {
      pointer.set(block.address());
    }
    return 0;
  }

  static int cudaFree(CudaPointer pointer) {
    memory().free(pointer.address());
    return 0;
  }

  static int cudaFreeHost(CudaPointer pointer) {
    if (pointer.address() != 0) {
      memory().freeHost(pointer.address());
    }
    return 0;
  }

  static int cudaPointerGetAttributes(Call call, Struct attributes, CudaPointer pointer) {
    Block block = memory().at(pointer.address());
    int type = block == null ? UNREGISTERED : typeOf(block);
    attributes.set("type", type);
    attributes.set("device", block == null ? NO_DEVICE : block.context().device.getOrdinal());
    attributes.setPointer("devicePointer", block == null ? 0 : pointer.address());
    boolean isHost = block == null ? call.binding() == Binding.JAVACPP : block.buffer() != null;
    attributes.setPointer("hostPointer", isHost ? pointer.address() : 0);
    if (call.binding() == Binding.JCUDA) {
      attributes.set("memoryType", Math.min(type, DEVICE));
      attributes.set("isManaged", type == MANAGED ? 1 : 0);
    }
    return 0;
  }

  private static int typeOf(Block block) {
    return block.kind() == Kind.MANAGED ? MANAGED : block.isOfHost() ? HOST : DEVICE;
  }

  // ---- copies ----

  /** Refuses a direction that is unknown, to JCuda before the runtime sees it. */
  private static boolean isKnown(Call call, int kind) {
    boolean isJCuda = call.binding() == Binding.JCUDA;
    boolean known = kind >= HOST_TO_HOST && kind <= (isJCuda ? DEVICE_TO_DEVICE : DEFAULT);
    if (!known && isJCuda) {
      System.out.println("Invalid cudaMemcpyKind given: " + kind);
      CudaThread.current().refusedByBinding = true;
    }
    return known;
  }

  /** Returns whether a side is memory that the driver knows. */
  private static boolean isUnified(CudaPointer side) {
    return memory().at(side.address()) != null;
  }

  private static boolean isOfHost(CudaPointer side) {
    Block block = memory().at(side.address());
    return !side.isNull() && (block == null || block.buffer() != null);
  }

  /** Refuses a direction that does not fit the pointers. */
  private static void requireDirection(CudaPointer target, CudaPointer source, int kind) {
    boolean fits =
        switch (kind) {
          case HOST_TO_DEVICE -> isUnified(target);
          case DEVICE_TO_HOST -> isUnified(source);
          case DEVICE_TO_DEVICE -> isUnified(target) && isUnified(source);
          case DEFAULT -> true;
          default -> isOfHost(target) && isOfHost(source);
        };
    CudaError.require(fits, CudaError.INVALID_VALUE);
  }

  static int cudaMemcpy(
      Call call, CudaPointer target, CudaPointer source, long bytes, int kind, long stream) {
    if (bytes == 0 && call.binding() == Binding.JAVACPP) {
      return 0; // The runtime reads no kind then.
    }
    if (!isKnown(call, kind)) {
      return CudaError.INVALID_MEMCPY_DIRECTION;
    }
    if (bytes != 0) {
      requireDirection(target, source, kind);
    }
    call.copies(stream).copy(target, source, bytes);
    return 0;
  }

  static int cudaMemcpy2D(
      Call call,
      CudaPointer target,
      long targetPitch,
      CudaPointer source,
      long sourcePitch,
      long width,
      long height,
      int kind,
      long stream) {
    if (!isKnown(call, kind)) {
      return CudaError.INVALID_MEMCPY_DIRECTION;
    }
    Rows rows = new Rows(width, height);
    if (!rows.isEmpty()) {
      requireDirection(target, source, kind);
    }
    call.copies(stream).copyRows(target, targetPitch, source, sourcePitch, rows);
    return 0;
  }

  // ---- sets ----

  static int cudaMemset(Call call, CudaPointer target, int value, long bytes, long stream) {
    call.copies(stream).set(target.address(), value, Byte.BYTES, bytes);
    return 0;
  }

  static int cudaMemset2D(
      Call call, CudaPointer target, long pitch, int value, long width, long height, long stream) {
    Rows rows = new Rows(width, height);
    call.copies(stream).setRows(target.address(), pitch, value, Byte.BYTES, rows);
    return 0;
  }
}
