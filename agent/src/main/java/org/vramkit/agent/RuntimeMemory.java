package org.vramkit.agent;

import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Binding;
import org.vramkit.agent.Arguments.Call;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.agent.CudaCopies.Rows;
import org.vramkit.agent.CudaCopies.Side;
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

  static void cudaMalloc(Result pointer, long bytes) {
    pointer.set(bytes == 0 ? 0 : memory().allocate(context(), bytes));
  }

  static void cudaMallocPitch(Result pointer, Result pitch, long width, long height) {
    DriverMemory.cuMemAllocPitch(pointer, pitch, width, height, Integer.BYTES);
  }

  static void cudaMalloc3D(Struct pitched, Struct extent) {
    long height = extent.get("height");
    long depth = extent.get("depth");
    CudaError.require(height > 0 && depth > 0, CudaError.INVALID_VALUE);
    long pitch = CudaMemory.pitchOf(extent.get("width"));
    long bytes = Math.multiplyExact(pitch, Math.multiplyExact(height, depth));
    pitched.setPointer("ptr", memory().allocate(context(), bytes));
    pitched.set("pitch", pitch);
    pitched.set("xsize", extent.get("width"));
    pitched.set("ysize", height);
  }

  static void cudaMallocManaged(Result pointer, long bytes) {
    DriverMemory.cuMemAllocManaged(pointer, bytes, ATTACH_GLOBAL);
  }

  static void cudaMallocManaged(Result pointer, long bytes, int flags) {
    DriverMemory.cuMemAllocManaged(pointer, bytes, flags);
  }

  static void cudaFree(CudaPointer pointer) {
    memory().free(pointer.address());
  }

  static void cudaFreeHost(CudaPointer pointer) {
    if (pointer.address() != 0) {
      memory().freeHost(pointer.address());
    }
  }

  static void cudaPointerGetAttributes(Call call, Struct attributes, CudaPointer pointer) {
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
  }

  private static int typeOf(Block block) {
    return block.kind() == Kind.MANAGED ? MANAGED : block.isOfHost() ? HOST : DEVICE;
  }

  // ---- copies ----

  /** Refuses a direction that is unknown, to JCuda before the runtime sees it. */
  private static void requireKnown(Call call, int kind) {
    boolean isJCuda = call.binding() == Binding.JCUDA;
    if (kind < HOST_TO_HOST || kind > (isJCuda ? DEVICE_TO_DEVICE : DEFAULT)) {
      if (isJCuda) {
        System.out.println("Invalid cudaMemcpyKind given: " + kind);
        CudaThread.current().refusedByBinding = true;
      }
      throw new CudaError(CudaError.INVALID_MEMCPY_DIRECTION);
    }
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

  static void cudaMemcpy(
      Call call, CudaPointer target, CudaPointer source, long bytes, int kind, long stream) {
    if (bytes != 0 || call.binding() == Binding.JCUDA) {
      // The runtime reads no kind of nothing.
      call.submit(stream, copy(call, target, source, bytes, kind));
    }
  }

  static @Nullable CudaWork copy(
      Call call, CudaPointer target, CudaPointer source, long bytes, int kind) {
    requireKnown(call, kind);
    if (bytes != 0) {
      requireDirection(target, source, kind);
    }
    return CudaCopies.copy(target, source, bytes);
  }

  /** Copies between devices, whose addresses differ. */
  static void cudaMemcpyPeer(
      Call call,
      CudaPointer target,
      int to,
      CudaPointer source,
      int from,
      long bytes,
      long stream) {
    DriverDevices.device(to);
    DriverDevices.device(from);
    cudaMemcpy(call, target, source, bytes, DEVICE_TO_DEVICE, stream);
  }

  static void cudaMemcpy3D(Call call, Struct copy, long stream) {
    call.submit(stream, box(call, copy));
  }

  static @Nullable CudaWork box(Call call, Struct copy) {
    if (copy.get("srcArray") != 0 || copy.get("dstArray") != 0) {
      throw new UnsupportedOperationException("CUDA arrays are not simulated");
    }
    Struct extent = copy.nested("extent");
    Rows rows = new Rows(extent.get("width"), extent.get("height"));
    long depth = extent.get("depth");
    if (rows.isEmpty() || depth == 0) {
      return null;
    }
    Side target = side(copy, "dst", rows);
    Side source = side(copy, "src", rows);
    int kind = (int) copy.get("kind");
    requireKnown(call, kind);
    requireDirection(target.corner(), source.corner(), kind);
    return CudaCopies.copyBox(target, source, rows, depth);
  }

  private static Side side(Struct copy, String side, Rows rows) {
    Struct memory = copy.nested(side + "Ptr");
    Struct position = copy.nested(side + "Pos");
    long pitch = memory.get("pitch");
    long height = memory.get("ysize");
    CudaPointer base = memory.pointer("ptr");
    boolean fits = position.get("y") + rows.height() <= height;
    CudaError.require(!base.isNull() && fits, CudaError.INVALID_VALUE);
    long offset = position.get("x") + (position.get("z") * height + position.get("y")) * pitch;
    return new Side(base.plus(offset), pitch, height * pitch);
  }

  static void cudaMemset3D(Call call, Struct pitched, int value, Struct extent, long stream) {
    Rows rows = new Rows(extent.get("width"), extent.get("height"));
    long pitch = pitched.get("pitch");
    long sliceBytes = pitched.get("ysize") * pitch;
    long address = pitched.pointer("ptr").address();
    call.submit(
        stream,
        CudaWork.all(
            LongStream.range(0, extent.get("depth"))
                .map(slice -> address + slice * sliceBytes)
                .mapToObj(each -> CudaCopies.setRows(each, pitch, value, Byte.BYTES, rows))
                .toList()));
  }

  static void cudaMemcpy2D(
      Call call,
      CudaPointer target,
      long targetPitch,
      CudaPointer source,
      long sourcePitch,
      long width,
      long height,
      int kind,
      long stream) {
    requireKnown(call, kind);
    Rows rows = new Rows(width, height);
    if (!rows.isEmpty()) {
      boolean fits = width <= targetPitch && width <= sourcePitch;
      CudaError.require(fits || height == 1, CudaError.INVALID_PITCH_VALUE);
      requireDirection(target, source, kind);
    }
    call.submit(stream, CudaCopies.copyRows(target, targetPitch, source, sourcePitch, rows));
  }

  // ---- symbols, which are variables of programs in C++: a program in Java has none ----

  static void cudaGetSymbolAddress(Result address, CudaPointer symbol) {
    CudaError.require(false, CudaError.INVALID_SYMBOL);
  }

  static void cudaMemcpyToSymbol(
      CudaPointer symbol, CudaPointer source, long bytes, long offset, int kind, long stream) {
    CudaError.require(false, CudaError.INVALID_SYMBOL);
  }

  // ---- sets ----

  static void cudaMemset(Call call, CudaPointer target, int value, long bytes, long stream) {
    call.submit(stream, CudaCopies.set(target.address(), value, Byte.BYTES, bytes));
  }

  static void cudaMemset2D(
      Call call, CudaPointer target, long pitch, int value, long width, long height, long stream) {
    Rows rows = new Rows(width, height);
    call.submit(stream, CudaCopies.setRows(target.address(), pitch, value, Byte.BYTES, rows));
  }
}
