package org.vramkit.ptx.step;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** Applies an operation to registers, lane by lane, or by a loop over all lanes if there is one. */
public final class Compute extends Step {
  private static final Slot NONE = new Slot(Slot.Kind.PREDICATE, 0, 0);

  private final Op op;
  private final @Nullable Loop loop;
  private final Slot target;
  private final Slot a;
  private final Slot b;
  private final Slot c;
  private final int count;

  /** A loop over all lanes of full warps. */
  @FunctionalInterface
  public interface Loop {
    void run(Frame frame, int d, int a, int b, int c);
  }

  public Compute(Op op, @Nullable Loop loop, Slot target, Slot... sources) {
    this.op = op;
    this.loop = loop;
    this.target = target;
    this.count = sources.length;
    this.a = count > 0 ? sources[0] : NONE;
    this.b = count > 1 ? sources[1] : NONE;
    this.c = count > 2 ? sources[2] : NONE;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    if (mask == -1 && loop != null) {
      loop.run(frame, target.index(), a.index(), b.index(), c.index());
      return;
    }
    int[] words = target.kind() == Slot.Kind.WORD ? frame.words[target.index()] : null;
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      long x = count > 0 ? a.get(frame, lane) : 0;
      long y = count > 1 ? b.get(frame, lane) : 0;
      long z = count > 2 ? c.get(frame, lane) : 0;
      long value = op.apply(x, y, z);
      if (words != null) {
        words[lane] = (int) value & target.mask();
      } else {
        target.set(frame, lane, value);
      }
    }
  }
}
