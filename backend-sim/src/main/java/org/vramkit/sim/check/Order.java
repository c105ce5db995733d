package org.vramkit.sim.check;

/** The operations that come before a point: those of each slot up to an epoch. */
@FunctionalInterface
public interface Order {
  /** Returns whether the operation of a slot with this epoch comes before the point. */
  boolean covers(int slot, long epoch);

  /** Returns what comes before either of two points. */
  static Order either(Order one, Order other) {
    return (slot, epoch) -> one.covers(slot, epoch) || other.covers(slot, epoch);
  }
}
