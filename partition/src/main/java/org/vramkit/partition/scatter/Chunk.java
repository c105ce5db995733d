package org.vramkit.partition.scatter;

import org.vramkit.partition.plan.Tile;

/** Units that one device has, from when they are dealt to it until they come back. */
final class Chunk {
  enum State {
    /** Dealt; no thread has begun it. */
    QUEUED,
    RUNNING,
    /** It was done or came back. */
    ENDED,
    /** Given to others because it was overdue, or the scatter has ended; its thread may go on. */
    ABANDONED
  }

  final Piece piece;
  final Member member;

  /** Its place in the order in which chunks were dealt. */
  final int index;

  final long dealtNanos;
  long begunNanos;
  boolean late;

  /** The thread that dealt it goes on with it itself. */
  boolean ownThread;

  /** Guarded by the run's lock. */
  State state = State.QUEUED;

  Chunk(Piece piece, Member member, int index, long dealtNanos) {
    this.piece = piece;
    this.member = member;
    this.index = index;
    this.dealtNanos = dealtNanos;
    this.begunNanos = dealtNanos;
  }

  Tile tile() {
    return new Tile(member.ordinal, piece.from(), piece.to());
  }

  ChunkRun ended(ChunkRun.Outcome outcome, long start, long now) {
    return new ChunkRun(
        index, tile(), piece.attempts() + 1, begunNanos - start, now - start, outcome);
  }
}
