package org.vramkit.ptx.run;

/** A step that decides where its path continues, or whether. */
public abstract class ControlStep extends Step {
  protected ControlStep() {
    super(true);
  }

  /**
   * Moves the path. Lanes of the path that are not in the mask continue behind this step.
   *
   * @param mask the lanes of the path that execute the step; may be 0
   */
  public abstract void go(Warp warp, Path path, int mask);

  @Override
  public final void run(Warp warp, Frame frame, int mask) {
    throw new AssertionError("a control step moves its path");
  }
}
