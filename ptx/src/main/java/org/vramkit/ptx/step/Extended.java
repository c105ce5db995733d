package org.vramkit.ptx.step;

import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** Addition, subtraction and multiplication with the carry of extended arithmetic. */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
public final class Extended extends Step {
  private final int bits;
  private final boolean subtracts;
  private final boolean takesCarry;
  private final boolean setsCarry;
  private final Product product;
  private final Slot target;
  private final Slot a;
  private final Slot b;
  private final Slot c;

  /** The first summand: the first operand, or a half of the product of two. */
  @FunctionalInterface
  public interface Product {
    long of(long a, long b);
  }

  /** The use of the carry. */
  public record Carry(int bits, boolean subtracts, boolean takes, boolean sets) {}

  public Extended(Carry carry, Product product, Slot target, Slot a, Slot b, Slot c) {
    this.bits = carry.bits;
    this.subtracts = carry.subtracts;
    this.takesCarry = carry.takes;
    this.setsCarry = carry.sets;
    this.product = product;
    this.target = target;
    this.a = a;
    this.b = b;
    this.c = c;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    long kept = bits == 64 ? -1 : (1L << bits) - 1;
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      long x = product.of(a.get(frame, lane), b.get(frame, lane)) & kept;
      long y = c.get(frame, lane);
      int carry = frame.carry >>> lane & 1;
      // A subtraction adds the complement and one: no borrow is a carry.
      y = subtracts ? ~y & kept : y;
      long in = takesCarry ? carry : subtracts ? 1 : 0;
      long sum = x + y + in & kept;
      boolean over = Long.compareUnsigned(sum, x) < 0 || in == 1 && sum == x;
      if (setsCarry) {
        frame.carry = frame.carry & ~(1 << lane) | (over ? 1 : 0) << lane;
      }
      target.set(frame, lane, sum);
    }
  }
}
