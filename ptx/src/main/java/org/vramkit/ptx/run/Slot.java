package org.vramkit.ptx.run;

/**
 * The place of a register in a frame.
 *
 * @param predicate whether it is one of the predicates
 * @param index position among the registers or predicates
 * @param mask the bits that the register keeps
 */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
public record Slot(boolean predicate, int index, long mask) {
  /** Returns the value of a lane: 0 or 1 for a predicate. */
  public long get(Frame frame, int lane) {
    return predicate ? frame.predicates[index] >>> lane & 1 : frame.registers[index][lane];
  }

  /** Sets the value of a lane, of which the register keeps its bits. */
  public void set(Frame frame, int lane, long value) {
    if (predicate) {
      frame.predicates[index] = frame.predicates[index] & ~(1 << lane) | ((int) value & 1) << lane;
    } else {
      frame.registers[index][lane] = value & mask;
    }
  }

  /** Sets the bits of some lanes of a predicate. */
  public void setBits(Frame frame, int lanes, int bits) {
    frame.predicates[index] = frame.predicates[index] & ~lanes | bits & lanes;
  }
}
