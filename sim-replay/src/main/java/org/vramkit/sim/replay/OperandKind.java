package org.vramkit.sim.replay;

import java.util.Locale;

/** The kinds of operands. A step makes an operand, and later steps refer to it by number. */
public enum OperandKind {
  /** No operand. */
  NOTHING,
  /** A stream. */
  STREAM,
  /** An event. */
  EVENT,
  /** A driver pool. */
  POOL,
  /** Addresses on a device: an allocation or a reservation. */
  MEMORY,
  /** Physical memory without an address. */
  PHYSICAL,
  /** Page-locked host memory. */
  PINNED,
  /** A gate that holds streams. */
  GATE,
  /** A device that is current on a host thread. */
  BINDING,
  /** A hand-off between host threads. */
  HAND_OFF,
  /** A period in which a host thread publishes to a hand-off. */
  HAND_OFF_SCOPE,
  /** A graph. */
  GRAPH,
  /** A relaxed capture mode of a thread. */
  RELAXATION;

  /** Returns the name of the kind in lower case, as in messages and files. */
  public String getWord() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns whether operands of this kind have addresses, so that a {@link ByteRange} can lie in
   * them.
   */
  public boolean hasAddresses() {
    return this == MEMORY || this == PINNED;
  }
}
