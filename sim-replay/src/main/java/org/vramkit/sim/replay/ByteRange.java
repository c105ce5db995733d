package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * A range of bytes in an operand of a program. The range does not depend on the operand's address.
 *
 * @param operand number of the memory or pinned buffer; {@link #NOWHERE} for any other address
 * @param offset offset of the first byte; the address itself for {@link #NOWHERE}
 * @param bytes length; 0 if only the address matters
 */
public record ByteRange(int operand, long offset, long bytes) {
  /** The operand number for addresses that belong to no operand of the program. */
  public static final int NOWHERE = 0;

  /** Reads a range from its form in files. */
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

  /** Returns the same range of another operand. */
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
