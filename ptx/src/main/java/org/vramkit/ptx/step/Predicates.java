package org.vramkit.ptx.step;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** Logic on predicates, for all lanes at once; a missing operand is false. */
public final class Predicates extends Step {
  private final Logic logic;
  private final Slot target;
  private final @Nullable Source a;
  private final @Nullable Source b;

  /** A function of two masks. */
  @FunctionalInterface
  public interface Logic {
    int of(int a, int b);
  }

  /** A predicate, or its complement. */
  public record Source(Slot slot, boolean negated) {
    int get(Frame frame) {
      int bits = frame.predicates[slot.index()];
      return negated ? ~bits : bits;
    }
  }

  public Predicates(Logic logic, Slot target, @Nullable Source a, @Nullable Source b) {
    this.logic = logic;
    this.target = target;
    this.a = a;
    this.b = b;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    int bits = logic.of(a == null ? 0 : a.get(frame), b == null ? 0 : b.get(frame));
    target.setBits(frame, mask, bits);
  }
}
