package org.vramkit.sim.program;

import java.util.Locale;

/**
 * Bytes of something that a program made, so that they can be found again at other addresses.
 *
 * @param operand number of the memory or pinned buffer; {@link #NOWHERE} if the address belonged to
 *     none
 * @param offset first byte, counted from its start; the address itself if it belonged to none
 * @param bytes how many; 0 where only the address matters
 */
public record ByteRange(int operand, long offset, long bytes) {
  /** Stands for an address that belonged to nothing the program made. */
  public static final int NOWHERE = 0;

  /** The same range of another operand. */
  ByteRange in(int other) {
    return new ByteRange(other, offset, bytes);
  }

  @Override
  public String toString() {
    return operand == NOWHERE
        ? String.format(Locale.ROOT, "[0x%x, +%d)", offset, bytes)
        : "#" + operand + "[" + offset + ", +" + bytes + ")";
  }
}
