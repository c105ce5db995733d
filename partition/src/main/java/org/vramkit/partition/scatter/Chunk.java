package org.vramkit.partition.scatter;

import org.jspecify.annotations.Nullable;
import org.vramkit.partition.plan.Tile;

/** A range of units that is assigned to one member. */
final class Chunk {
  enum State {
    /** Assigned; no thread has begun it. */
    QUEUED,
    RUNNING,
    /** Its task has returned; the calling thread waits for its device. */
    RETURNED,
    /** Completed, or returned to the scheduler. */
    ENDED,
    /**
     * Overdue and reassigned, or still running when the scatter stopped waiting. Its thread may
     * continue.
     */
    ABANDONED
  }

  final Piece piece;
  final Member member;

  /** Position in the order of assignment. */
  final int index;

  final long assignedNanos;
  long beganNanos;

  /**
   * The tile of the task; null before the task is called, and on the CPU. Of the running thread.
   */
  @Nullable TileContext context;

  /** The first failure, which has later ones as suppressed. Used by the running thread. */
  @Nullable Throwable failure;

  /** True once the chunk was overdue and logged. */
  boolean late;

  /** True if the assigning thread runs the chunk itself. */
  boolean ownThread;

  /** Guarded by the run's lock. */
  State state = State.QUEUED;

  Chunk(Piece piece, Member member, int index, long assignedNanos) {
    this.piece = piece;
    this.member = member;
    this.index = index;
    this.assignedNanos = assignedNanos;
    this.beganNanos = assignedNanos;
  }

  Tile tile() {
    return new Tile(member.ordinal, piece.from(), piece.to());
  }

  /** Returns the report of the ended attempt, with times since {@code start}. */
  ChunkRun ended(ChunkRun.Outcome outcome, long start, long now) {
    return new ChunkRun(
        index, tile(), piece.attempts() + 1, beganNanos - start, now - start, outcome);
  }
}
