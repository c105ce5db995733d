package org.vramkit.pool.caching;

import java.util.List;

/**
 * Reports an allocation that was dropped without a close: the garbage collector found its handle
 * unreachable.
 *
 * @param address address of the first byte
 * @param size requested bytes
 * @param stream its stream: the handle in hexadecimal, after the name if it has one
 * @param tag its tag, or empty
 * @param thread name of the thread that allocated it
 * @param stack stack of the allocation, the nearest frame first; empty unless stacks are kept
 */
public record LeakReport(
    long address,
    long size,
    String stream,
    String tag,
    String thread,
    List<StackTraceElement> stack) {

  /** Copies the stack. */
  public LeakReport {
    stack = List.copyOf(stack);
  }
}
