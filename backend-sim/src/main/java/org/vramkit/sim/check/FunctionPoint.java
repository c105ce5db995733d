package org.vramkit.sim.check;

/**
 * The position of a host function in its stream. The accesses of the function count as made at this
 * position. While the function runs, its thread knows the work before the position.
 *
 * @param by the function as an operation of its stream
 * @param before the work before it
 * @param thread its host thread, to the checker
 */
public record FunctionPoint(Operation by, Snapshot before, HostThread thread) {
  FunctionPoint(Operation by, Snapshot before) {
    this(by, before, new HostThread(by));
    learnBefore();
  }

  /**
   * Joins the work before the function. When it begins, the gates before it are open and add the
   * work that they order.
   */
  void learnBefore() {
    thread.known.join(before);
    thread.known.join(by.slot(), by.epoch());
  }

  /** Returns whether an access was ordered before or after the function at its submission. */
  boolean isOrderedWith(Operation other) {
    return other.isBefore(before) || other.comesAfter(by);
  }
}
