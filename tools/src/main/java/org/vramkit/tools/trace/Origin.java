package org.vramkit.tools.trace;

/**
 * Tag, stack and thread of an event as indexes into {@link TraceDetails}; 0 means unknown.
 *
 * @param tag the program's tag
 * @param stack the call stack
 * @param thread the thread
 */
public record Origin(int tag, int stack, int thread) {
  /** An unknown origin. */
  public static final Origin UNKNOWN = new Origin(0, 0, 0);
}
