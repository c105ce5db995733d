package org.vramkit.ptx.step;

import org.vramkit.ptx.run.Frame;

/**
 * The place of a register in a frame.
 *
 * @param kind the array: words of 32 bits, longs or predicates
 * @param index position in the array
 * @param mask the bits that a word keeps; those of longs are all kept
 */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
public record Slot(Kind kind, int index, int mask) {
  /** Arrays of a frame. */
  public enum Kind {
    WORD,
    LONG,
    PREDICATE
  }

  long get(Frame frame, int lane) {
    return switch (kind) {
      case WORD -> frame.words[index][lane] & 0xffffffffL;
      case LONG -> frame.longs[index][lane];
      case PREDICATE -> frame.predicates[index] >>> lane & 1;
    };
  }

  void set(Frame frame, int lane, long value) {
    switch (kind) {
      case WORD -> frame.words[index][lane] = (int) value & mask;
      case LONG -> frame.longs[index][lane] = value;
      case PREDICATE ->
          frame.predicates[index] =
              frame.predicates[index] & ~(1 << lane) | ((int) value & 1) << lane;
    }
  }

  /** Sets the bits of some lanes of a predicate. */
  void setBits(Frame frame, int mask, int bits) {
    frame.predicates[index] = frame.predicates[index] & ~mask | bits & mask;
  }
}
