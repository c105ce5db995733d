package org.vramkit.agent;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.CudaMemory.Block;
import org.vramkit.sim.SimStream;

/**
 * Copies and sets. A copy between pageable memory and a device returns once the host may use its
 * side: at once for a source, and after the copy for a target. A call without a stream also waits
 * for its copy if the host takes part.
 */
final class CudaCopies {
  private final CudaMemory memory;
  private final CudaStream on;
  private final boolean waits;

  /**
   * Creates the copies of one call.
   *
   * @param waits whether the call has no stream, and so waits if the host takes part
   */
  CudaCopies(CudaMemory memory, CudaStream on, boolean waits) {
    this.memory = memory;
    this.on = on;
    this.waits = waits;
  }

  /** Copies bytes. */
  void copy(CudaPointer target, CudaPointer source, long bytes) {
    if (bytes == 0) {
      return;
    }
    CudaError.require(bytes > 0, CudaError.INVALID_VALUE);
    CudaError.require(!target.isNull() && !source.isNull(), CudaError.INVALID_VALUE);
    Block to = memory.at(target.address());
    Block from = memory.at(source.address());
    requireInside(target, to, bytes);
    requireInside(source, from, bytes);
    if (to == null && from == null) {
      target.write(source.read(Math.toIntExact(bytes)));
    } else if (to == null) {
      copyToHost(target, source.address(), bytes);
    } else if (from == null) {
      ByteBuffer staged = source.read(Math.toIntExact(bytes));
      stream().copyToDevice(target.address(), staged);
      waitIf(true);
    } else {
      copyBlocks(to, target.address(), from, source.address(), bytes);
    }
  }

  private void copyToHost(CudaPointer target, long source, long bytes) {
    ByteBuffer staged = ByteBuffer.allocate(Math.toIntExact(bytes));
    stream().copyToHost(staged, source);
    target.write(staged);
  }

  private void copyBlocks(Block to, long target, Block from, long source, long bytes) {
    if (from.isOfHost() && !to.isOfHost()) {
      stream().copyToDevice(target, from.requireBuffer(), source - from.address(), bytes);
    } else if (to.isOfHost() && !from.isOfHost()) {
      stream().copyToHost(to.requireBuffer(), target - to.address(), source, bytes);
    } else {
      stream().copy(target, source, bytes);
    }
    waitIf(from.isOfHost() || to.isOfHost());
  }

  private void waitIf(boolean hostTakesPart) {
    if (waits && hostTakesPart) {
      stream().synchronize();
    }
  }

  private SimStream stream() {
    return on.stream;
  }

  private static void requireInside(CudaPointer side, @Nullable Block block, long bytes) {
    if (block != null) {
      long offset = side.address() - block.address();
      CudaError.require(bytes <= block.bytes() - offset, CudaError.INVALID_VALUE);
    }
  }

  /** Copies rows whose starts are a pitch apart. */
  void copyRows(
      CudaPointer target, long targetPitch, CudaPointer source, long sourcePitch, Rows rows) {
    if (rows.isEmpty()) {
      return;
    }
    CudaError.require(
        rows.width <= targetPitch && rows.width <= sourcePitch, CudaError.INVALID_VALUE);
    if (rows.width == targetPitch && rows.width == sourcePitch) {
      copy(target, source, rows.width * rows.height);
      return;
    }
    for (long row = 0; row < rows.height; row++) {
      copy(target.plus(row * targetPitch), source.plus(row * sourcePitch), rows.width);
    }
  }

  /**
   * The rows of a box.
   *
   * @param width bytes of a row
   * @param height number of rows
   */
  record Rows(long width, long height) {
    Rows {
      CudaError.require(width >= 0 && height >= 0, CudaError.INVALID_VALUE);
    }

    boolean isEmpty() {
      return width == 0 || height == 0;
    }
  }

  /** Sets elements of 1, 2 or 4 bytes. */
  void set(long address, int value, int elementBytes, long count) {
    CudaError.require(address % elementBytes == 0, CudaError.INVALID_VALUE);
    if (count == 0) {
      return;
    }
    CudaError.require(count > 0 && address != 0, CudaError.INVALID_VALUE);
    memory.requireInside(address, Math.multiplyExact(count, (long) elementBytes));
    if (isOneByte(value, elementBytes)) {
      stream().fill(address, (byte) value, count * elementBytes);
    } else {
      setPattern(address, value, elementBytes, count);
    }
    Block block = memory.at(address);
    waitIf(block != null && block.isOfHost());
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

  private void setPattern(long address, int value, int elementBytes, long count) {
    int bytes = Math.toIntExact(count * elementBytes);
    ByteBuffer pattern = ByteBuffer.allocate(bytes).order(java.nio.ByteOrder.nativeOrder());
    while (pattern.hasRemaining()) {
      if (elementBytes == 2) {
        pattern.putShort((short) value);
      } else {
        pattern.putInt(value);
      }
    }
    stream().copyToDevice(address, pattern.flip());
  }

  /** Sets rows of elements whose starts are a pitch apart. */
  void setRows(long address, long pitch, int value, int elementBytes, Rows rows) {
    if (rows.isEmpty()) {
      return;
    }
    CudaError.require(rows.height == 1 || rows.width * elementBytes <= pitch, 1);
    for (long row = 0; row < rows.height; row++) {
      set(address + row * pitch, value, elementBytes, rows.width);
    }
  }
}
