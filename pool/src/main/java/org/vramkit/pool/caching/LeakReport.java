package org.vramkit.pool.caching;

import java.util.List;

/**
 * Reports an allocation that was dropped without a close, or is held too long.
 *
 * @param kind kind of the leak
 * @param address address of the first byte
 * @param size requested bytes
 * @param stream its stream: the handle in hexadecimal, after the name if it has one
 * @param tag its tag, or empty
 * @param thread name of the thread that allocated it
 * @param heldNanos time since the allocation, by the allocator's clock; 0 if unknown, as with
 *     {@link LeakDetection#SAMPLED} and no threshold
 * @param stack stack of the allocation, the nearest frame first; empty unless stacks are kept
 */
public record LeakReport(
    Kind kind,
    long address,
    long size,
    String stream,
    String tag,
    String thread,
    long heldNanos,
    List<StackTraceElement> stack) {

  /** Kinds of leaks. */
  public enum Kind {
    /** The garbage collector found the handle unreachable, so it can never be closed. */
    DROPPED,
    /** The allocation has been held longer than {@link CachingAllocatorBuilder#heldTooLong}. */
    HELD
  }

  /** Copies the stack. */
  public LeakReport {
    stack = List.copyOf(stack);
  }
}
