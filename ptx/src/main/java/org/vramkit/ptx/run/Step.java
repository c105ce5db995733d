package org.vramkit.ptx.run;

import org.vramkit.ptx.report.CodeLine;

/**
 * A decoded instruction. One call runs it for all lanes of a mask. Registers are in {@link
 * Frame#registers}; predicates are one bit per lane in {@link Frame#predicates}.
 */
public abstract class Step {
  /** Index of the guarding predicate; -1 if the step has none. */
  public int guard = -1;

  public boolean negated;

  /** Number of the step in its program. */
  public int id;

  /** Set by the translator, right after the step is created. */
  @SuppressWarnings("NullAway.Init")
  public CodeLine place;

  /** True if the step may change the path: the warp calls {@link ControlStep#go} instead. */
  final boolean control;

  protected Step() {
    this(false);
  }

  Step(boolean control) {
    this.control = control;
  }

  /** Runs the step; {@code mask} has a bit for each lane that executes it, at least one. */
  public abstract void run(Warp warp, Frame frame, int mask);
}
