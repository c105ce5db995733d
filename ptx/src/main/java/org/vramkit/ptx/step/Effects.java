package org.vramkit.ptx.step;

import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** A step with an effect on the warp, but none on registers: fences, hints. */
public final class Effects extends Step {
  private final Effect effect;

  /** An effect. */
  @FunctionalInterface
  public interface Effect {
    void on(Warp warp);
  }

  public Effects(Effect effect) {
    this.effect = effect;
  }

  /** Returns a step without an effect. */
  public static Effects none() {
    return new Effects(warp -> {});
  }

  /** Returns a fence; {@code device} if it reaches further than the block. */
  public static Effects fence(boolean device) {
    return new Effects(
        warp -> {
          if (warp.order != null) {
            warp.order.fence(device);
          }
        });
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    effect.on(warp);
  }
}
