package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.WorkAccesses.Range;
import org.vramkit.sim.WorkSubmission.Work;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.memory.AddressSpace;

/**
 * Gives the body of a kernel access to the bytes that the kernel has declared. Accessing other
 * bytes is an error, because the checker relies on the declaration.
 */
public final class DeviceBytes {
  private static final int CHUNK = 1 << 20;

  private final AddressSpace space;
  private final int device;
  private final @Nullable SimKernel kernel;

  /**
   * Creates the view of a kernel; {@code kernel} is null for copies and fills, whose exact ranges
   * are checked.
   */
  DeviceBytes(AddressSpace space, int device, @Nullable SimKernel kernel) {
    this.space = space;
    this.device = device;
    this.kernel = kernel;
  }

  /**
   * Reads bytes. Addresses without memory read as 0.
   *
   * @throws InvalidArgumentException if the kernel has not declared that it reads or writes these
   *     bytes
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
   * Writes bytes. Writes to addresses without memory are ignored.
   *
   * @param address first byte
   * @throws InvalidArgumentException if the kernel has not declared that it writes these bytes
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
   * @throws InvalidArgumentException if the kernel has not declared that it writes these bytes
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
   * @throws InvalidArgumentException if the kernel has not declared that it reads the source and
   *     writes the target
   */
  public void copy(long target, long source, long count) {
    requireRead(source, count);
    requireWritten(target, count);
    // Skips parts without memory, because a wrong range may be huge.
    for (AddressSpace.Piece piece : space.pieces(target, count, device)) {
      long end = piece.position() + piece.bytes();
      for (long done = piece.position(); done < end; done += CHUNK) {
        int part = (int) Math.min(CHUNK, end - done);
        write(target + done, read(source + done, part));
      }
    }
  }

  private void requireRead(long address, long count) {
    if (kernel != null
        && !isInside(kernel.reads, address, count)
        && !isWritten(kernel, address, count)) {
      throw undeclared(kernel, "read", address, count);
    }
  }

  private void requireWritten(long address, long count) {
    if (kernel != null && !isWritten(kernel, address, count)) {
      throw undeclared(kernel, "write", address, count);
    }
  }

  private static boolean isWritten(SimKernel kernel, long address, long count) {
    return isInside(kernel.writes, address, count) || isInside(kernel.atomics, address, count);
  }

  private static boolean isInside(List<Range> ranges, long address, long count) {
    for (Range range : ranges) {
      if (count >= 0
          && address >= range.address()
          && count <= range.bytes() - (address - range.address())) {
        return true;
      }
    }
    return count == 0;
  }

  private static InvalidArgumentException undeclared(
      SimKernel kernel, String verb, long address, long count) {
    List<Range> writes = Stream.concat(kernel.writes.stream(), kernel.atomics.stream()).toList();
    return new InvalidArgumentException(
        ("kernel %s may not %s %s bytes at 0x%x: declare them with %ss(address, bytes); it reads %s"
                + " and writes %s")
            .formatted(kernel.name, verb, count, address, verb, kernel.reads, writes));
  }

  /** Returns the copy from memory of the host that is read when the copy runs. */
  Work fromPageable(long target, int count, Supplier<ByteBuffer> source) {
    return new Work(
        DriverFunction.MEMCPY_HTOD_ASYNC,
        "copy to device",
        new WorkAccesses.FromHost(target, count),
        -1,
        () -> {
          byte[] read = new byte[count];
          source.get().get(read);
          write(target, read);
        });
  }

  Work toPageable(Consumer<ByteBuffer> target, long source, int count) {
    return new Work(
        DriverFunction.MEMCPY_DTOH_ASYNC,
        "copy to host",
        new WorkAccesses.ToHost(source, count),
        -1,
        () -> target.accept(ByteBuffer.wrap(read(source, count))));
  }
}
