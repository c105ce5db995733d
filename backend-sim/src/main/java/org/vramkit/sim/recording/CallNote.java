package org.vramkit.sim.recording;

import org.vramkit.api.Experimental;

/**
 * The operands of a call, noted before it is made. Handles are those of the simulator. The call
 * determines the kinds of the operands, and the meaning of figure and name.
 */
@Experimental
public interface CallNote {
  /** Sets the ordinal of the called device; 0 by default. */
  CallNote device(int ordinal);

  /**
   * Adds an operand by its handle and the ordinal of its device; -1 for a device of another
   * simulator.
   */
  CallNote uses(int ordinal, long handle);

  /** Adds bytes that the call reads or views. */
  CallNote reads(long address, long bytes);

  /** Adds bytes that the call writes, allocates or frees. */
  CallNote writes(long address, long bytes);

  /** Sets a figure; 0 by default. */
  CallNote value(long figure);

  /** Sets a name; empty by default. */
  CallNote text(String name);
}
