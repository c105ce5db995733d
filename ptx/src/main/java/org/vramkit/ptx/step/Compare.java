package org.vramkit.ptx.step;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** Compares and sets predicates, or a register to what stands for true or false. */
public final class Compare extends Step {
  private final Test test;
  private final Predicates.@Nullable Logic logic;
  private final Predicates.@Nullable Source with;
  private final Targets targets;
  private @Nullable Loop loop;

  /** A comparison of two registers; {@code key} names it as that of {@link Compute}. */
  public record Test(Op op, String key, Slot a, Slot b) {}

  /**
   * The targets of a comparison: of the result and its complement, or of two halves, or a register.
   *
   * @param trueValue what stands for true in a register, or in half of it if packed
   */
  public record Targets(
      @Nullable Slot first, @Nullable Slot second, boolean packed, long trueValue) {}

  /** Creates a comparison; the result is combined with a predicate unless it is null. */
  public Compare(
      Test test,
      Predicates.@Nullable Logic logic,
      Predicates.@Nullable Source with,
      Targets targets) {
    this.test = test;
    this.logic = logic;
    this.with = with;
    this.targets = targets;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    if (targets.packed) {
      int low = combine(frame, bits(frame, mask, 0, 0xffff));
      int high = combine(frame, bits(frame, mask, 16, 0xffff));
      set(frame, mask, low, high);
    } else {
      boolean whole = mask == -1 && !test.a.predicate() && !test.b.predicate();
      int bits = whole ? all(frame) : bits(frame, mask, 0, -1);
      set(frame, mask, combine(frame, bits), combine(frame, ~bits));
    }
  }

  private int all(Frame frame) {
    if (loop == null) {
      loop = Loop.of(test.key, test.op);
    }
    return loop.test(frame.registers[test.a.index()], frame.registers[test.b.index()]);
  }

  private int bits(Frame frame, int mask, int shift, long kept) {
    int bits = 0;
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      long x = test.a.get(frame, lane) >>> shift & kept;
      long y = test.b.get(frame, lane) >>> shift & kept;
      bits |= (int) test.op.apply(x, y, 0) << lane;
    }
    return bits;
  }

  private int combine(Frame frame, int bits) {
    return with == null || logic == null ? bits : logic.of(bits, with.get(frame));
  }

  private void set(Frame frame, int mask, int one, int other) {
    Slot first = targets.first;
    if (first != null && first.predicate()) {
      first.setBits(frame, mask, one);
    } else if (first != null) {
      long high = targets.packed ? targets.trueValue << 16 : 0;
      for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
        int lane = Integer.numberOfTrailingZeros(lanes);
        long value = (one >>> lane & 1) != 0 ? targets.trueValue : 0;
        first.set(frame, lane, value | ((other >>> lane & 1) != 0 ? high : 0));
      }
    }
    if (targets.second != null) {
      targets.second.setBits(frame, mask, other);
    }
  }
}
