package org.vramkit.sim.check;

/** Which device may touch which other device's memory. */
public interface Peers {
  /** Whether it could be allowed to. */
  boolean isPossible(int device, int owner);

  /** Whether it is allowed to. */
  boolean isEnabled(int device, int owner);
}
