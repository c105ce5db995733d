package org.vramkit.sim.check;

/** Which device may touch which other device's memory. */
public interface Peers {
  /** Returns whether it could be allowed to. */
  boolean isPossible(int device, int owner);

  /** Returns whether it is allowed to. */
  boolean isEnabled(int device, int owner);
}
