package org.vramkit.sim.check;

import java.util.List;

/**
 * One operation that touches memory in stream order.
 *
 * @param index its number among all operations of the backend
 * @param name what it is, such as {@code kernel relu}
 * @param stream the clock of its stream
 * @param epoch its number on that stream
 * @param stack where it was submitted; empty without stacks
 */
public record Operation(
    long index, String name, StreamClock stream, long epoch, List<StackTraceElement> stack) {

  /** Its number, what it is, and where. */
  @Override
  public String toString() {
    return "operation " + index + ", " + name + " on " + stream.getName();
  }

  /** Whether it is ordered before the next operation of a stream. */
  boolean isBefore(StreamClock other) {
    return other.covers(stream.getSlot(), epoch);
  }
}
