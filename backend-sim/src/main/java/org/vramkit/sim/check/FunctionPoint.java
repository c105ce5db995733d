package org.vramkit.sim.check;

/**
 * Where a host function stands in its stream. What it does to memory itself counts as done there,
 * and while it runs its thread knows what comes before it.
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

  /** It begins: by now the gates before it are open, and tell what they order. */
  void learnBefore() {
    thread.known.join(before);
    thread.known.join(by.slot(), by.epoch());
  }

  /** Whether an access was ordered before or after it when that was submitted. */
  boolean isOrderedWith(Operation other) {
    return before.covers(other) || other.comesAfter(by);
  }
}
