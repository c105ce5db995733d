package org.vramkit.sim.check;

/** What comes before a point: work of a slot up to an epoch. */
@FunctionalInterface
interface Order {

  /** Whether work of that slot, up to that epoch, comes before the point. */
  boolean covers(int slot, long epoch);

  default boolean covers(Operation operation) {
    return covers(operation.stream().getSlot(), operation.epoch());
  }

  /** What comes before either of two points. */
  static Order either(Order one, Order other) {
    return (slot, epoch) -> one.covers(slot, epoch) || other.covers(slot, epoch);
  }
}
