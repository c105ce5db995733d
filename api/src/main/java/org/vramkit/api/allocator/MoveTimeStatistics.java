package org.vramkit.api.allocator;

/**
 * Time spent on keeping memory small, since the allocator was made. All pools of an allocator share
 * one budget.
 *
 * @param movingNanos time of driver calls that moved free memory, or gave it back, to take less
 * @param askingNanos time of questions to streams whether what they freed may serve others
 * @param leftNanos what may go into moving now; negative if the last call took more than was left
 */
public record MoveTimeStatistics(long movingNanos, long askingNanos, long leftNanos) {
  /** Of allocators that spend none. */
  public static final MoveTimeStatistics NONE = new MoveTimeStatistics(0, 0, 0);
}
