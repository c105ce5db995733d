package org.vramkit.pool.caching;

import java.util.List;

/**
 * An allocation that nobody closed.
 *
 * @param kind what is known of it
 * @param address its first byte
 * @param size bytes that were asked for
 * @param stream its stream, by its handle in hexadecimal behind its name if it has one
 * @param tag its tag, or empty
 * @param thread name of the thread that allocated it
 * @param heldNanos how long it has been held, by the allocator's clock; 0 where that is not noted,
 *     as with {@link LeakDetection#SAMPLED} and no threshold
 * @param stack where it was allocated, the nearest frame first; empty unless stacks were asked for
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

  /** What is known. */
  public enum Kind {
    /** The collector found that nobody has the handle any more, so nobody can close it. */
    DROPPED,
    /** It has been held for longer than {@link CachingAllocatorBuilder#heldTooLong}. */
    HELD
  }

  /** Copies the stack. */
  public LeakReport {
    stack = List.copyOf(stack);
  }
}
