package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.SimKernel.Range;
import org.vramkit.sim.memory.AddressSpace;

/**
 * The device's bytes, as the body of a kernel sees them while it runs: those that the kernel has
 * declared. Touching any other is an error, because the checker judges what was declared.
 */
public final class DeviceBytes {
  private static final int CHUNK = 1 << 20;

  private final AddressSpace space;
  private final int device;
  private final @Nullable String kernel;
  private final List<Range> reads;
  private final List<Range> writes;

  /** All of them, for copies and fills: the checker judges just the bytes that these touch. */
  DeviceBytes(AddressSpace space, int device) {
    this(space, device, null, List.of(), List.of());
  }

  private DeviceBytes(
      AddressSpace space,
      int device,
      @Nullable String kernel,
      List<Range> reads,
      List<Range> writes) {
    this.space = space;
    this.device = device;
    this.kernel = kernel;
    this.reads = reads;
    this.writes = writes;
  }

  DeviceBytes only(SimKernel declared) {
    List<Range> writes = new ArrayList<>(declared.writes);
    writes.addAll(declared.atomics);
    return new DeviceBytes(space, device, declared.name, declared.reads, List.copyOf(writes));
  }

  /**
   * Reads bytes; what has no memory behind it reads as 0.
   *
   * @param address first byte
   * @param count how many, not negative
   * @throws InvalidArgumentException if the kernel declared neither to read nor to write them
   */
  public byte[] read(long address, int count) {
    requireRead(address, count);
    byte[] bytes = new byte[count];
    for (AddressSpace.Piece piece : space.pieces(address, count, device)) {
      piece.content().read(piece.offset(), bytes, (int) piece.position(), (int) piece.bytes());
    }
    return bytes;
  }

  /**
   * Writes bytes; what has no memory behind it is lost.
   *
   * @param address first byte
   * @throws InvalidArgumentException if the kernel did not declare to write them
   */
  public void write(long address, byte[] bytes) {
    Objects.requireNonNull(bytes, "bytes");
    requireWritten(address, bytes.length);
    for (AddressSpace.Piece piece : space.pieces(address, bytes.length, device)) {
      piece.content().write(piece.offset(), bytes, (int) piece.position(), (int) piece.bytes());
    }
  }

  /**
   * Sets bytes to one value.
   *
   * @throws InvalidArgumentException if the kernel did not declare to write them
   */
  public void fill(long address, byte value, long count) {
    requireWritten(address, count);
    for (AddressSpace.Piece piece : space.pieces(address, count, device)) {
      piece.content().fill(piece.offset(), value, piece.bytes());
    }
  }

  /**
   * Copies bytes.
   *
   * @throws InvalidArgumentException if the kernel did not declare to read the one and to write the
   *     other
   */
  public void copy(long target, long source, long count) {
    requireRead(source, count);
    requireWritten(target, count);
    // Only where there is memory to be written, which is little of a range that is far too long.
    for (AddressSpace.Piece piece : space.pieces(target, count, device)) {
      long end = piece.position() + piece.bytes();
      for (long done = piece.position(); done < end; done += CHUNK) {
        int part = (int) Math.min(CHUNK, end - done);
        write(target + done, read(source + done, part));
      }
    }
  }

  private void requireRead(long address, long count) {
    if (!isInside(reads, address, count) && !isInside(writes, address, count)) {
      throw undeclared("read", address, count);
    }
  }

  private void requireWritten(long address, long count) {
    if (!isInside(writes, address, count)) {
      throw undeclared("write", address, count);
    }
  }

  private boolean isInside(List<Range> ranges, long address, long count) {
    if (kernel == null) {
      return true;
    }
    for (Range range : ranges) {
      if (count >= 0
          && address >= range.address()
          && count <= range.bytes() - (address - range.address())) {
        return true;
      }
    }
    return count == 0;
  }

  private InvalidArgumentException undeclared(String verb, long address, long count) {
    return new InvalidArgumentException(
        ("kernel %s may not %s %s bytes at 0x%x: declare them with %ss(address, bytes); it reads %s"
                + " and writes %s")
            .formatted(kernel, verb, count, address, verb, reads, writes));
  }
}
