package org.vramkit.ptx.step;

import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** Reads a special register. */
public final class Special extends Step {
  private final Slot target;
  private final Reader reader;

  /** The value for a lane. */
  @FunctionalInterface
  public interface Reader {
    long of(Warp warp, Frame frame, int lane);
  }

  public Special(Slot target, Reader reader) {
    this.target = target;
    this.reader = reader;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      target.set(frame, lane, reader.of(warp, frame, lane));
    }
  }
}
