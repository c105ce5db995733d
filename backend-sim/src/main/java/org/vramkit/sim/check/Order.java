package org.vramkit.sim.check;

import java.util.function.Predicate;

/** The operations that come before a point: those of each slot up to an epoch. */
@FunctionalInterface
public interface Order {
  /** Returns whether the operation of a slot with this epoch comes before the point. */
  boolean covers(int slot, long epoch);

  /** Returns whether an operation comes before the point. */
  default boolean covers(Operation operation) {
    return covers(operation.slot(), operation.epoch());
  }

  /** Returns this order and the operations that a test accepts. */
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

  /** Returns what comes before either of two points. */
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
