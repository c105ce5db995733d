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

  // Allocations of nothing are null, and fine.

  static void cudaMalloc(Result pointer, long bytes) {
    pointer.set(0);
    pointer.set(bytes == 0 ? 0 : memory().allocate(context(), bytes));
  }

  static void cudaMallocPitch(Result pointer, Result pitch, long width, long height) {
    if (width != 0 && height != 0) {
      DriverMemory.cuMemAllocPitch(pointer, pitch, width, height, Integer.BYTES);
    } else {
      pointer.set(0);
      pitch.set(0);
    }
  }

  static void cudaMalloc3D(Struct pitched, Struct extent) {
    long width = extent.get("width");
    long height = extent.get("height");
    long slices = extent.get("depth");
    boolean isNothing = width == 0 || height == 0 || slices == 0;
    long pitch = CudaMemory.pitchOf(isNothing ? 0 : width);
    pitched.setPointer("ptr", 0);
    pitched.set("pitch", pitch);
    if (!isNothing) {
      // The driver does not look for an overflow.
      pitched.setPointer("ptr", memory().allocate(context(), pitch * height * slices));
    }
    pitched.set("xsize", width);
    pitched.set("ysize", height);
  }

  static void cudaMallocManaged(Result pointer, long bytes) {
    cudaMallocManaged(pointer, bytes, ATTACH_GLOBAL);
  }

  static void cudaMallocManaged(Result pointer, long bytes, int flags) {
    pointer.set(0);
    if (bytes != 0) {
      DriverMemory.cuMemAllocManaged(pointer, bytes, flags);
    }
  }

  static void cudaFree(CudaPointer pointer) {
    memory().free(pointer.address());
  }

  static void cudaFreeHost(CudaPointer pointer) {
    DriverMemory.cuMemFreeHost(pointer);
  }

  static void cudaPointerGetAttributes(Call call, Struct attributes, CudaPointer pointer) {
    Block block = memory().at(pointer.address());
    int type = block == null ? UNREGISTERED : typeOf(block);
    attributes.set("type", type);
    attributes.set("device", block == null ? NO_DEVICE : block.context().device.getOrdinal());
    boolean isOpen = block != null && block.isOpen();
    attributes.setPointer("devicePointer", isOpen ? pointer.address() : 0);
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

  private static void requireKnown(int kind) {
    boolean isKnown = kind >= HOST_TO_HOST && kind <= DEFAULT;
    CudaError.require(isKnown, CudaError.INVALID_MEMCPY_DIRECTION);
  }

  /** Refuses a direction that JCuda does not know, before the runtime sees it. */
  private static void requireKnownToJCuda(int kind) {
    if (kind < HOST_TO_HOST || kind > DEVICE_TO_DEVICE) {
      System.out.println("Invalid cudaMemcpyKind given: " + kind);
      CudaThread.current().refusedByBinding = true;
      throw new CudaError(CudaError.INVALID_MEMCPY_DIRECTION);
    }
  }

  /** Returns whether a side is memory that the driver knows. */
  private static boolean isUnified(CudaPointer side) {
    return memory().at(side.address()) != null;
  }

  /** Refuses a direction that does not fit the pointers. */
  private static void requireDirection(CudaPointer target, CudaPointer source, int kind) {
    boolean fits =
        switch (kind) {
          case HOST_TO_DEVICE -> isUnified(target);
          case DEVICE_TO_HOST -> isUnified(source);
          case DEVICE_TO_DEVICE -> isUnified(target) && isUnified(source);
          default -> true;
        };
    CudaError.require(fits, CudaError.INVALID_VALUE);
  }

  static void cudaMemcpy(
      Call call, CudaPointer target, CudaPointer source, long bytes, int kind, long stream) {
    if (call.binding() == Binding.JCUDA) {
      requireKnownToJCuda(kind);
    }
    call.submit(stream, copy(target, source, bytes, kind));
  }

  static @Nullable CudaWork copy(CudaPointer target, CudaPointer source, long bytes, int kind) {
    if (bytes == 0) {
      // The runtime reads no kind of nothing.
      return null;
    }
    requireKnown(kind);
    requireDirection(target, source, kind);
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
    DriverStreams.uncaptured(stream);
    if (bytes != 0) {
      DriverDevices.device(to);
      DriverDevices.device(from);
    }
    cudaMemcpy(call, target, source, bytes, DEVICE_TO_DEVICE, stream);
  }

  static void cudaMemcpy3D(Call call, Struct copy, long stream) {
    call.submit(stream, box(copy));
  }

  static @Nullable CudaWork box(Struct copy) {
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
    requireKnown(kind);
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
    long depth = extent.get("depth");
    boolean fits = rows.isEmpty() || depth <= 1 || rows.height() <= pitched.get("ysize");
    CudaError.require(fits, CudaError.INVALID_VALUE);
    long pitch = pitched.get("pitch");
    long sliceBytes = pitched.get("ysize") * pitch;
    long address = pitched.pointer("ptr").address();
    call.submit(
        stream,
        CudaWork.all(
            LongStream.range(0, depth)
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
    Rows rows = new Rows(width, height);
    if (!rows.isEmpty()) {
      boolean fits = Rows.isAtMost(width, targetPitch) && Rows.isAtMost(width, sourcePitch);
      CudaError.require(fits || height == 1, CudaError.INVALID_PITCH_VALUE);
      requireKnown(kind);
      requireDirection(target, source, kind);
    }
    call.submit(stream, CudaCopies.copyRows(target, targetPitch, source, sourcePitch, rows));
  }

  // ---- symbols, which are variables of programs in C++: a program in Java has none ----

  static void cudaGetSymbolAddress(@Nullable Result address, CudaPointer symbol) {
    CudaError.require(false, CudaError.INVALID_SYMBOL);
  }

  static void cudaMemcpyToSymbol(
      CudaPointer symbol, CudaPointer source, long bytes, long offset, int kind, long stream) {
    CudaError.require(bytes == 0, CudaError.INVALID_SYMBOL);
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
