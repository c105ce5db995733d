package org.vramkit.ptx.step;

import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** Dynamic allocation on the stack; a frame frees all of it when it ends. */
public final class StackStep {
  private StackStep() {}

  /** Allocates as many bytes as the lane with the largest request wants. */
  public static final class Allocate extends Step {
    private static final int ALIGNMENT = 16;
    private final Slot target;
    private final Slot size;

    public Allocate(Slot target, Slot size) {
      this.target = target;
      this.size = size;
    }

    @Override
    public void run(Warp warp, Frame frame, int mask) {
      long most = 0;
      for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
        most = Math.max(most, size.get(frame, Integer.numberOfTrailingZeros(lanes)));
      }
      int base = (frame.localTop + ALIGNMENT - 1) & -ALIGNMENT;
      int top = (int) Math.min(Integer.MAX_VALUE / 2, base + Math.min(most, 1 << 29));
      warp.local().reserve(top);
      frame.localTop = top;
      for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
        target.set(frame, Integer.numberOfTrailingZeros(lanes), base);
      }
    }
  }
}
