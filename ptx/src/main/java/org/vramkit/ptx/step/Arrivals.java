package org.vramkit.ptx.step;

import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** Ends a launch, as a GPU does, if more has arrived at an mbarrier object than was pending. */
public final class Arrivals extends Step {
  private final Slot pending;
  private final Slot arrived;

  /** Creates the step with the number of pending arrivals and of those that have come. */
  public Arrivals(Slot pending, Slot arrived) {
    this.pending = pending;
    this.arrived = arrived;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      long wanted = pending.get(frame, lane);
      long found = arrived.get(frame, lane);
      if (found > wanted) {
        String text = "an mbarrier object that waits for %d arrivals in its phase gets %d";
        warp.grid().trap(warp, 1 << lane, this, text.formatted(wanted, found));
      }
    }
  }
}
