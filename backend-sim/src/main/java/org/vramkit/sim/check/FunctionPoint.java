package org.vramkit.sim.check;

/**
 * The place of a host function in its stream. Its own accesses count as done there, and while it
 * runs its thread knows what comes before it.
 *
 * @param by the function as an operation of its stream
 * @param before what comes before it, without itself
 * @param thread that it is to the checker, while it runs
 */
public record FunctionPoint(Operation by, Snapshot before, HostThread thread) {
  FunctionPoint(Operation by, Snapshot before) {
    this(by, before, new HostThread(by));
    learnBefore();
  }

  /**
   * Learns what comes before it; the gates there are open when it begins, and add what they order.
   */
  void learnBefore() {
    thread.known.join(before);
    thread.known.join(by.slot(), by.epoch());
  }

  /** Returns whether an access was ordered before or after it when that was submitted. */
  boolean isOrderedWith(Operation other) {
    return before.covers(other) || other.comesAfter(by);
  }
}
