package org.vramkit.tools.trace;

/**
 * The tag, thread and stack of an event, as numbers of {@link TraceDetails}; 0 where the file does
 * not tell.
 *
 * @param tag what the program called it
 * @param stack where in the program
 * @param thread by which thread
 */
public record Origin(int tag, int stack, int thread) {
  /** Nothing is known. */
  public static final Origin UNKNOWN = new Origin(0, 0, 0);
}
