package org.vramkit.sim.hazard;

import java.util.List;

/**
 * Something that is still held.
 *
 * @param kind what it is
 * @param device ordinal of the device it belongs to
 * @param handle its address or handle
 * @param bytes its size; 0 for what has none
 * @param stack where it was made; empty unless the checker was told to keep stacks
 */
public record Leak(
    LeakKind kind, int device, long handle, long bytes, List<StackTraceElement> stack) {

  /** Copies the stack. */
  public Leak {
    stack = List.copyOf(stack);
  }
}
