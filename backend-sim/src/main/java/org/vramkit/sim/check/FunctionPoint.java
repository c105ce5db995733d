package org.vramkit.sim.check;

/**
 * The position of a host function in its stream. The accesses of the function count as made at this
 * position. While the function runs, its thread knows the work before the position.
 *
 * @param by the function as an operation of its stream
 * @param before the work before it
 * @param thread the host thread that the function counts as
 */
public record FunctionPoint(Operation by, Snapshot before, HostThread thread) {
  FunctionPoint(Operation by, Snapshot before) {
    this(by, before, new HostThread(by));
    learnBefore();
  }

  /**
   * Adds the work before the function to the knowledge of its thread. A second call when the
   * function begins adds the work that the gates before it order, which are open then.
   */
  void learnBefore() {
    thread.known.join(before);
    thread.known.join(by.slot(), by.epoch());
  }

  /**
   * Returns whether an access is ordered before the function, or after what the function does from
   * now on.
   */
  boolean isOrderedWith(Operation other) {
    return other.isBefore(before) || other.comesAfter(by, thread);
  }
}
