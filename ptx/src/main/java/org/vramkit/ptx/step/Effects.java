package org.vramkit.ptx.step;

import java.util.function.ObjIntConsumer;
import org.vramkit.ptx.check.WarpOrder;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** A step that is a function: fences, hints, and what is rare. */
public final class Effects extends Step {
  private final Effect effect;

  /** An effect on the lanes of a mask. */
  @FunctionalInterface
  public interface Effect {
    void on(Warp warp, Frame frame, int mask);
  }

  public Effects(Effect effect) {
    this.effect = effect;
  }

  /** Returns a step without an effect. */
  public static Effects none() {
    return new Effects((warp, frame, mask) -> {});
  }

  /** Returns a step that changes the order that the warp knows of, if accesses are checked. */
  public static Effects ordering(ObjIntConsumer<WarpOrder> change) {
    return new Effects(
        (warp, frame, mask) -> {
          if (warp.order != null) {
            change.accept(warp.order, mask);
          }
        });
  }

  /** Returns a fence; {@code device} if it reaches further than the block. */
  public static Effects fence(boolean device) {
    return ordering((order, lanes) -> order.fence(device));
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    effect.on(warp, frame, mask);
  }
}
