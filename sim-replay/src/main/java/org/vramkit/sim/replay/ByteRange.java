package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import org.vramkit.api.error.InvalidArgumentException;

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

  /** As files have it. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static ByteRange of(List<Long> triple) {
    if (triple.size() != 3 || triple.get(0) != triple.get(0).intValue()) {
      throw new InvalidArgumentException(
          "'reads' and 'writes' must hold triples of an operand, an offset and a length, not "
              + triple);
    }
    return new ByteRange(triple.get(0).intValue(), triple.get(1), triple.get(2));
  }

  @JsonValue
  private long[] triple() {
    return new long[] {operand, offset, bytes};
  }

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
