package org.vramkit.agent;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.CudaMemory.Block;
import org.vramkit.sim.SimDevice.CaptureState;
import org.vramkit.sim.SimStream;

/**
 * Copies and sets, as work; null for those of no bytes. A copy between pageable memory and a device
 * returns once the host may use its side: at once for a source, and after the copy for a target. A
 * call without a stream also waits for its copy if the host takes part.
 */
final class CudaCopies {
  private CudaCopies() {}

  private static CudaMemory memory() {
    return CudaProcess.get().memory;
  }

  /** Copies bytes. */
  static @Nullable CudaWork copy(CudaPointer target, CudaPointer source, long bytes) {
    if (bytes == 0) {
      return null;
    }
    CudaError.require(bytes > 0, CudaError.INVALID_VALUE);
    CudaError.require(!target.isNull() && !source.isNull(), CudaError.INVALID_VALUE);
    Block to = memory().at(target.address());
    Block from = memory().at(source.address());
    requireInside(target, to, bytes);
    requireInside(source, from, bytes);
    boolean waits = from == null || from.isOfHost() || to == null || to.isOfHost();
    return new CudaWork(
        CudaWork.COPY,
        waits,
        "from " + place(from) + " to " + place(to),
        stream -> submit(stream, target, to, source, from, bytes));
  }

  private static String place(@Nullable Block block) {
    return block == null || block.isOfHost() ? "the host" : "a device";
  }

  private static void submit(
      SimStream stream,
      CudaPointer target,
      @Nullable Block to,
      CudaPointer source,
      @Nullable Block from,
      long bytes) {
    if (to == null && from == null) {
      target.write(source.read(Math.toIntExact(bytes)));
    } else if (to == null) {
      toHost(stream, target, source.address(), Math.toIntExact(bytes));
    } else if (from == null) {
      int count = Math.toIntExact(bytes);
      toDevice(stream, target.address(), count, () -> source.read(count));
    } else if (from.isOfHost() && !to.isOfHost()) {
      long offset = source.address() - from.address();
      stream.copyToDevice(target.address(), from.requireBuffer(), offset, bytes);
    } else if (to.isOfHost() && !from.isOfHost()) {
      long offset = target.address() - to.address();
      stream.copyToHost(to.requireBuffer(), offset, source.address(), bytes);
    } else {
      stream.copy(target.address(), source.address(), bytes);
    }
  }

  /** Reads pageable memory at once, or at the launches of the graph that the copy belongs to. */
  private static void toDevice(
      SimStream stream, long target, int bytes, Supplier<ByteBuffer> source) {
    if (isCaptured(stream)) {
      stream.captureFromPageable(target, bytes, source);
    } else {
      ByteBuffer host = source.get();
      CudaCapture.permit(stream.getDevice(), () -> stream.copyToDevice(target, host));
    }
  }

  private static void toHost(SimStream stream, CudaPointer target, long source, int bytes) {
    if (isCaptured(stream)) {
      stream.captureToPageable(target::write, source, bytes);
    } else {
      ByteBuffer staged = ByteBuffer.allocate(bytes);
      CudaCapture.permit(stream.getDevice(), () -> stream.copyToHost(staged, source));
      target.write(staged);
    }
  }

  /** Returns whether a copy belongs to a capture, or is refused because of one. */
  private static boolean isCaptured(SimStream stream) {
    return stream.getDevice().getCaptureState(stream) != CaptureState.NONE;
  }

  private static void requireInside(CudaPointer side, @Nullable Block block, long bytes) {
    if (block != null) {
      memory().requireInside(side.address(), bytes);
    }
  }

  /** Copies rows whose starts are a pitch apart. */
  static @Nullable CudaWork copyRows(
      CudaPointer target, long targetPitch, CudaPointer source, long sourcePitch, Rows rows) {
    if (rows.isEmpty()) {
      return null;
    }
    CudaError.require(rows.fit(targetPitch) && rows.fit(sourcePitch), CudaError.INVALID_VALUE);
    requireInside(target, memory().at(target.address()), rows.span(targetPitch));
    requireInside(source, memory().at(source.address()), rows.span(sourcePitch));
    if (rows.width == targetPitch && rows.width == sourcePitch) {
      return copy(target, source, rows.width * rows.height);
    }
    return CudaWork.all(
        LongStream.range(0, rows.height)
            .mapToObj(
                row ->
                    copy(
                        target.plus(row * targetPitch), source.plus(row * sourcePitch), rows.width))
            .toList());
  }

  /**
   * The rows of a box.
   *
   * @param width bytes of a row
   * @param height number of rows
   */
  record Rows(long width, long height) {
    /** Returns whether a width fits a pitch; the runtime takes both as unsigned. */
    static boolean isAtMost(long width, long pitch) {
      return Long.compareUnsigned(width, pitch) <= 0;
    }

    boolean isEmpty() {
      return width == 0 || height == 0;
    }

    /** Returns whether rows do not overlap; a single row needs no pitch. */
    boolean fit(long pitch) {
      boolean isPossible = width >= 0 && height >= 0;
      return isPossible && (isAtMost(width, pitch) || (height == 1 && pitch == 0));
    }

    /** Returns the bytes from the start of the first row to the end of the last one. */
    long span(long pitch) {
      return (height - 1) * pitch + width;
    }
  }

  /** The corner of a box in memory, and the distances of its rows and slices. */
  record Side(CudaPointer corner, long pitch, long sliceBytes) {
    private CudaPointer slice(long slice) {
      return corner.plus(slice * sliceBytes);
    }
  }

  /** Copies a box of slices. */
  static @Nullable CudaWork copyBox(Side target, Side source, Rows rows, long depth) {
    return CudaWork.all(
        LongStream.range(0, depth)
            .mapToObj(
                slice ->
                    copyRows(
                        target.slice(slice), target.pitch, source.slice(slice), source.pitch, rows))
            .toList());
  }

  /** Sets elements of 1, 2 or 4 bytes. */
  static @Nullable CudaWork set(long address, int value, int elementBytes, long count) {
    if (count == 0) {
      return null;
    }
    CudaError.require(address % elementBytes == 0, CudaError.INVALID_VALUE);
    CudaError.require(count > 0 && address != 0, CudaError.INVALID_VALUE);
    long bytes = Math.multiplyExact(count, (long) elementBytes);
    memory().requireInside(address, bytes);
    Block block = memory().at(address);
    boolean waits = block != null && block.isOfHost();
    if (isOneByte(value, elementBytes)) {
      return new CudaWork(CudaWork.SET, waits, stream -> stream.fill(address, (byte) value, bytes));
    }
    ByteBuffer pattern = pattern(value, elementBytes, Math.toIntExact(bytes));
    return new CudaWork(
        CudaWork.SET,
        waits,
        stream ->
            toDevice(stream, address, pattern.capacity(), () -> pattern.duplicate().rewind()));
  }

  /** Returns whether all bytes of an element are the same. */
  private static boolean isOneByte(int value, int elementBytes) {
    int low = value & 0xff;
    return switch (elementBytes) {
      case 1 -> true;
      case 2 -> (value & 0xffff) == low * 0x101;
      default -> value == low * 0x1010101;
    };
  }

  private static ByteBuffer pattern(int value, int elementBytes, int bytes) {
    ByteBuffer pattern = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
    while (pattern.hasRemaining()) {
      if (elementBytes == 2) {
        pattern.putShort((short) value);
      } else {
        pattern.putInt(value);
      }
    }
    return pattern;
  }

  /** Sets rows of elements whose starts are a pitch apart. */
  static @Nullable CudaWork setRows(
      long address, long pitch, int value, int elementBytes, Rows rows) {
    if (rows.isEmpty()) {
      return null;
    }
    boolean fits = rows.height == 1 || rows.width * elementBytes <= pitch;
    CudaError.require(fits && rows.width > 0 && rows.height > 0, CudaError.INVALID_VALUE);
    memory().requireInside(address, (rows.height - 1) * pitch + rows.width * elementBytes);
    return CudaWork.all(
        LongStream.range(0, rows.height)
            .mapToObj(row -> set(address + row * pitch, value, elementBytes, rows.width))
            .toList());
  }
}
