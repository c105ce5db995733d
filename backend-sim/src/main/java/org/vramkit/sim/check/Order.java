package org.vramkit.sim.check;

import java.util.function.Predicate;

/** What comes before a point: work of a slot up to an epoch. */
@FunctionalInterface
public interface Order {
  /** Returns whether work of that slot, up to that epoch, comes before the point. */
  boolean covers(int slot, long epoch);

  /** Returns whether work comes before the point. */
  default boolean covers(Operation operation) {
    return covers(operation.slot(), operation.epoch());
  }

  /** What comes before the point, and work that a test finds. */
  default Order or(Predicate<Operation> also) {
    Order point = this;
    return new Order() {
      @Override
      public boolean covers(int slot, long epoch) {
        return point.covers(slot, epoch);
      }

      @Override
      public boolean covers(Operation operation) {
        return also.test(operation) || point.covers(operation);
      }
    };
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
