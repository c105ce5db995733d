package org.vramkit.sim.check;

import java.util.function.Predicate;

/** What comes before a point: work of a slot up to an epoch. */
@FunctionalInterface
public interface Order {
  /** Returns whether work of that slot, up to that epoch, comes before the point. */
  boolean covers(int slot, long epoch);

  /** Something that was done in the order of a stream. */
  interface Work {
    int slot();

    /** Its number on that stream. */
    long epoch();
  }

  /** Returns whether work comes before the point. */
  default boolean covers(Work work) {
    return covers(work.slot(), work.epoch());
  }

  /** What comes before the point, and work that a test finds. */
  default Order or(Predicate<Work> also) {
    Order point = this;
    return new Order() {
      @Override
      public boolean covers(int slot, long epoch) {
        return point.covers(slot, epoch);
      }

      @Override
      public boolean covers(Work work) {
        return also.test(work) || point.covers(work);
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
      public boolean covers(Work work) {
        return one.covers(work) || other.covers(work);
      }
    };
  }
}
