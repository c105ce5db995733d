package org.vramkit.ptx.step;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** Compares and sets predicates, or a register to what stands for true or false. */
public final class Compare extends Step {
  /** How a comparison is combined with a predicate. */
  public enum Combination {
    NONE,
    AND,
    OR,
    XOR
  }

  private final Op test;
  private final @Nullable String key;
  private @Nullable Loop loop;
  private final Slot a;
  private final Slot b;
  private final Combination combination;
  private final @Nullable Slot with;
  private final boolean negatedWith;

  /** Targets: of the result and its complement, or of two halves, or a register. */
  private final @Nullable Slot first;

  private final @Nullable Slot second;
  private final boolean packed;
  private final long trueValue;

  /** The operands of a comparison. */
  public record Sources(
      Slot a, Slot b, Combination combination, @Nullable Slot with, boolean negatedWith) {}

  /** The targets of a comparison; {@code trueValue} is that of a register, per half if packed. */
  public record Targets(
      @Nullable Slot first, @Nullable Slot second, boolean packed, long trueValue) {}

  public Compare(Op test, @Nullable String key, Sources sources, Targets targets) {
    this.test = test;
    this.key = key;
    this.a = sources.a;
    this.b = sources.b;
    this.combination = sources.combination;
    this.with = sources.with;
    this.negatedWith = sources.negatedWith;
    this.first = targets.first;
    this.second = targets.second;
    this.packed = targets.packed;
    this.trueValue = targets.trueValue;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    if (packed) {
      int low = combine(frame, bits(frame, mask, 0, 0xffff));
      int high = combine(frame, bits(frame, mask, 16, 0xffff));
      set(frame, mask, low, high);
    } else {
      int bits = bits(frame, mask);
      int result = combine(frame, bits);
      set(frame, mask, result, combination == Combination.NONE ? ~result : combine(frame, ~bits));
    }
  }

  private int bits(Frame frame, int mask) {
    if (mask == -1 && key != null) {
      Loop each = loop == null ? loop = Loop.of(key, test) : loop;
      return each.test(frame.registers[a.index()], frame.registers[b.index()]);
    }
    return bits(frame, mask, 0, -1);
  }

  private int bits(Frame frame, int mask, int shift, long kept) {
    int bits = 0;
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      long x = a.get(frame, lane) >>> shift & kept;
      long y = b.get(frame, lane) >>> shift & kept;
      bits |= (int) test.apply(x, y, 0) << lane;
    }
    return bits;
  }

  private int combine(Frame frame, int bits) {
    if (with == null) {
      return bits;
    }
    int other = frame.predicates[with.index()];
    other = negatedWith ? ~other : other;
    return switch (combination) {
      case AND -> bits & other;
      case OR -> bits | other;
      case XOR -> bits ^ other;
      case NONE -> bits;
    };
  }

  private void set(Frame frame, int mask, int one, int other) {
    if (first != null && !first.predicate()) {
      for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
        int lane = Integer.numberOfTrailingZeros(lanes);
        long value = (one >>> lane & 1) != 0 ? trueValue : 0;
        if (packed) {
          value |= (other >>> lane & 1) != 0 ? trueValue << 16 : 0;
        }
        first.set(frame, lane, value);
      }
      return;
    }
    if (first != null) {
      first.setBits(frame, mask, one);
    }
    if (second != null) {
      second.setBits(frame, mask, other);
    }
  }
}
