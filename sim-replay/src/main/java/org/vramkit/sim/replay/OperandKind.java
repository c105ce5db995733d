package org.vramkit.sim.replay;

import java.util.Locale;

/** The kinds of operands: what steps make, and later steps refer to by number. */
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

  /** Returns its name in lower case, for people and files. */
  public String getWord() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether it has addresses, so that a {@link ByteRange} can lie in it. */
  public boolean hasAddresses() {
    return this == MEMORY || this == PINNED;
  }
}
