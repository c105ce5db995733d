package org.vramkit.sim.fault;

/** Told of what another process takes by plan, or gives back. */
@FunctionalInterface
public interface OccupationListener {
  /**
   * Memory of a device has changed hands.
   *
   * @param device ordinal
   * @param bytes how much was taken; negative if given back; never 0
   */
  void occupied(int device, long bytes);
}
