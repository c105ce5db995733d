package org.vramkit.sim;

import org.vramkit.sim.memory.AddressSpace;

/** The device's bytes, as the body of a kernel sees them while it runs. */
public final class DeviceBytes {
  private final AddressSpace space;
  private final int device;

  DeviceBytes(AddressSpace space, int device) {
    this.space = space;
    this.device = device;
  }

  /**
   * Reads bytes; what has no memory behind it reads as 0.
   *
   * @param address first byte
   * @param count how many
   */
  public byte[] read(long address, int count) {
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
   */
  public void write(long address, byte[] bytes) {
    for (AddressSpace.Piece piece : space.pieces(address, bytes.length, device)) {
      piece.content().write(piece.offset(), bytes, (int) piece.position(), (int) piece.bytes());
    }
  }

  /** Sets bytes to one value. */
  public void fill(long address, byte value, long count) {
    for (AddressSpace.Piece piece : space.pieces(address, count, device)) {
      piece.content().fill(piece.offset(), value, piece.bytes());
    }
  }

  /** Copies bytes. */
  public void copy(long target, long source, long count) {
    int chunk = 1 << 20;
    for (long done = 0; done < count; done += chunk) {
      int part = (int) Math.min(chunk, count - done);
      write(target + done, read(source + done, part));
    }
  }
}
