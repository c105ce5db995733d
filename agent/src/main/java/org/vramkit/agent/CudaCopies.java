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

  /** One side of a copy: memory of the host, or an address if that is null. */
  record Side(@Nullable HostMemory host, long address) {
    static Side device(long address) {
      return new Side(null, address);
    }

    static Side host(HostMemory memory) {
      return new Side(memory, 0);
    }

    /** Returns this side some bytes further. */
    Side plus(long offset) {
      return host == null ? device(address + offset) : host(new Shifted(host, offset));
    }

    boolean isNull() {
      return host == null && address == 0;
    }
  }

  /** Memory of the host from an offset on. */
  private record Shifted(HostMemory memory, long offset) implements HostMemory {
    @Override
    public long getAddress() {
      return memory.getAddress() == 0 ? 0 : memory.getAddress() + offset;
    }

    @Override
    public ByteBuffer read(int bytes) {
      int from = Math.toIntExact(offset);
      return memory.read(Math.addExact(from, bytes)).position(from).slice();
    }

    @Override
    public void write(ByteBuffer bytes) {
      int from = Math.toIntExact(offset);
      int count = bytes.remaining();
      ByteBuffer all = ByteBuffer.allocate(Math.addExact(from, count));
      all.put(memory.read(from + count)).position(from).put(bytes.duplicate());
      memory.write(all.flip());
    }
  }

  /** Copies bytes. */
  void copy(Side target, Side source, long bytes) {
    if (bytes == 0) {
      return;
    }
    CudaError.require(bytes > 0, CudaError.INVALID_VALUE);
    CudaError.require(!target.isNull() && !source.isNull(), CudaError.INVALID_VALUE);
    Block to = blockOf(target);
    Block from = blockOf(source);
    requireInside(target, to, bytes);
    requireInside(source, from, bytes);
    if (to == null && from == null) {
      requireHost(target).write(requireHost(source).read(Math.toIntExact(bytes)));
    } else if (to == null) {
      copyToHost(requireHost(target), addressOf(source, from), bytes);
    } else if (from == null) {
      ByteBuffer staged = requireHost(source).read(Math.toIntExact(bytes));
      stream().copyToDevice(addressOf(target, to), staged);
      waitIf(true);
    } else {
      copyBlocks(to, addressOf(target, to), from, addressOf(source, from), bytes);
    }
  }

  private void copyToHost(HostMemory target, long source, long bytes) {
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

  private static HostMemory requireHost(Side side) {
    return CudaError.found(side.host, CudaError.INVALID_VALUE);
  }

  /** Returns the block of a side; null for pageable memory, and for addresses without memory. */
  private @Nullable Block blockOf(Side side) {
    HostMemory host = side.host;
    return host == null ? memory.at(side.address) : memory.atHost(host.getAddress());
  }

  private static void requireInside(Side side, @Nullable Block block, long bytes) {
    if (block != null) {
      long offset = addressOf(side, block) - block.address();
      CudaError.require(bytes <= block.bytes() - offset, CudaError.INVALID_VALUE);
    }
  }

  private static long addressOf(Side side, @Nullable Block block) {
    HostMemory host = side.host;
    return host == null || block == null
        ? side.address
        : block.address() + host.getAddress() - block.host();
  }

  /** Copies rows whose starts are a pitch apart. */
  void copyRows(Side target, long targetPitch, Side source, long sourcePitch, Rows rows) {
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
