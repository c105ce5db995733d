package org.vramkit.api.allocator;

/**
 * The time that an allocator has spent on keeping its reserved memory small since its creation. All
 * pools of an allocator share one budget.
 *
 * @param movingNanos time of driver calls that moved or returned free memory
 * @param leftNanos remaining budget; negative if the last call exceeded it
 */
public record MoveTimeStatistics(long movingNanos, long leftNanos) {
  /** The statistics of an allocator that never moves memory. */
  public static final MoveTimeStatistics NONE = new MoveTimeStatistics(0, 0);
}
