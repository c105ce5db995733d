package org.vramkit.sim.replay;

import java.util.Locale;

/** Kinds of things that steps make, and that later steps refer to by number. */
public enum OperandKind {
  /** Nothing is made. */
  NOTHING,
  /** A stream. */
  STREAM,
  /** An event. */
  EVENT,
  /** A pool of the driver. */
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
  /** A hand-over between host threads. */
  HAND_OFF,
  /** A time for which a host thread leaves all that it learns in a hand-over. */
  HAND_OFF_SCOPE,
  /** Captured work. */
  GRAPH,
  /** A time in which a thread that captures may take memory. */
  RELAXATION;

  /** Its name in lower case, for people and files. */
  public String getWord() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether it has addresses, so that a {@link ByteRange} can lie in it. */
  public boolean hasAddresses() {
    return this == MEMORY || this == PINNED;
  }
}
