package org.vramkit.ptx.step;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.RaceChecker;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.run.Bytes;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Warp;

/** Updates memory atomically: lane after lane, in the order of lanes. */
public final class Atomic extends Access {
  private final Op op;
  private final @Nullable Slot target;
  private final Slot first;
  private final Slot second;

  /**
   * Creates an update; {@code op} has the old value and the operands, and gives the new value.
   *
   * @param target takes the old value; null for a reduction
   */
  public Atomic(Where where, Shape shape, Op op, @Nullable Slot target, Slot first, Slot second) {
    super("updates", where, shape);
    this.op = op;
    this.target = target;
    this.first = first;
    this.second = second;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    warp.poll();
    super.run(warp, frame, mask);
  }

  @Override
  void access(Warp warp, Frame frame, int lanes) {
    RaceChecker checker = checker(warp);
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int position = position(lane);
      long old = Bytes.read(bytes, position, width);
      Bytes.write(
          bytes, position, width, op.apply(old, first.get(frame, lane), second.get(frame, lane)));
      if (target != null) {
        target.set(frame, lane, old);
      }
      if (checker != null) {
        checkWrite(warp, checker, lane, false, true);
      }
    }
  }

  @Override
  void miss(Frame frame, int lane) {
    if (target != null) {
      target.set(frame, lane, 0);
    }
  }
}
