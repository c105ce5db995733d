package org.vramkit.ptx.run;

import org.jspecify.annotations.Nullable;

/** Lanes of a warp that run together: one position in the code, one frame. */
public final class Path {
  /** States of a path. */
  enum State {
    READY,
    /** Waits at a barrier of its block. */
    AT_BARRIER,
    /** Waits for other lanes of its warp at a collective step. */
    AT_COLLECTIVE,
    /** Waits at a join, or has exited. */
    ENDED
  }

  int mask;
  public int pc;
  public Frame frame;
  @Nullable Join join;

  /** The position of the innermost join if it is in this frame, else -1. */
  int joinPc = -1;

  State state = State.READY;

  /** The lanes that execute the step at which the path waits. */
  int waiting;

  /** Steps of this turn, and how many of them may be those of a loop that waits for memory. */
  long steps;

  int polls;

  Path(int mask, int pc, Frame frame, @Nullable Join join) {
    this.mask = mask;
    this.pc = pc;
    this.frame = frame;
    setJoin(join);
  }

  void setJoin(@Nullable Join join) {
    this.join = join;
    this.joinPc = join != null && join.frame == frame ? join.pc : -1;
  }

  public int getMask() {
    return mask;
  }

  Step step() {
    return frame.code.steps[pc];
  }
}
