package org.vramkit.sim.recording;

import org.vramkit.api.Experimental;

/**
 * What a call refers to, told before it is made. Handles are those by which the simulator knows its
 * things; which kinds of things, and what figure and name mean, follows from the call.
 */
@Experimental
public interface CallNote {
  /** The device that is called, by its ordinal; 0 unless told. */
  CallNote device(int ordinal);

  /**
   * The next operand: the ordinal of its device, -1 if it is of another simulator, and its handle.
   */
  CallNote uses(int ordinal, long handle);

  /** Bytes that it reads or looks at. */
  CallNote reads(long address, long bytes);

  /** Bytes that it writes, hands out or takes away. */
  CallNote writes(long address, long bytes);

  /** A figure; 0 unless told. */
  CallNote value(long figure);

  /** A name; empty unless told. */
  CallNote text(String name);
}
