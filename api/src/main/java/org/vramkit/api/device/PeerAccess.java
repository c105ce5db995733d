package org.vramkit.api.device;

/** Access from one device to the memory of another of the same backend. */
public interface PeerAccess {

  /** Returns whether this device can reach the other's memory directly. */
  boolean canAccess(Device other);

  /** Lets this device's work use the other's memory. Harmless when repeated. */
  void enable(Device other);

  /** Takes that back. Harmless when repeated. */
  void disable(Device other);
}
