package org.vramkit.api.device;

/** Gives a device access to the memory of another device of the same backend. */
public interface PeerAccess {

  /** Returns whether this device can access the memory of {@code other} directly. */
  boolean canAccess(Device other);

  /**
   * Allows work of this device to access the memory of {@code other}. Repeated calls have no
   * effect.
   */
  void enable(Device other);

  /** Revokes the access to the memory of {@code other}. Repeated calls have no effect. */
  void disable(Device other);
}
