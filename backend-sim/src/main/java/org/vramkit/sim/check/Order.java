package org.vramkit.sim.check;

/** What comes before a point: work of a slot up to an epoch. */
@FunctionalInterface
public interface Order {

  /** Whether work of that slot, up to that epoch, comes before the point. */
  boolean covers(int slot, long epoch);

  /** Whether an operation comes before the point. */
  default boolean covers(Operation operation) {
    return covers(operation.stream().getSlot(), operation.epoch());
  }

  /** What comes before either of two points. */
  static Order either(Order one, Order other) {
    return new Order() {
      @Override
      public boolean covers(int slot, long epoch) {
        return one.covers(slot, epoch) || other.covers(slot, epoch);
      }

      @Override
      public boolean covers(Operation operation) {
        return one.covers(operation) || other.covers(operation);
      }
    };
  }
}
