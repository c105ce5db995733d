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
  private final @Nullable Op op;
  private final @Nullable Slot[] targets;
  private final Slot[] first;
  private final Slot[] second;

  /**
   * Creates an update, with one register of each kind for each element.
   *
   * @param op has the old value and the operands, and gives the new value; null swaps all elements
   *     for the second operands if all are equal to the first ones
   * @param targets take the old values; null ignores an element
   */
  public Atomic(
      Where where,
      Shape shape,
      @Nullable Op op,
      @Nullable Slot[] targets,
      Slot[] first,
      Slot[] second) {
    super("updates", where, shape);
    this.op = op;
    this.targets = targets;
    this.first = first;
    this.second = second;
  }

  /** Makes the update one that releases, and takes over nothing. */
  public void releaseOnly() {
    acquires = false;
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
      update(frame, lane, op == null && isEqual(frame, lane));
      if (checker != null) {
        checkWrite(warp, checker, lane, false, true);
      }
    }
  }

  private boolean isEqual(Frame frame, int lane) {
    boolean equal = true;
    for (int i = 0; i < first.length; i++) {
      equal &= Bytes.read(bytes, position(lane) + i * width, width) == first[i].get(frame, lane);
    }
    return equal;
  }

  private void update(Frame frame, int lane, boolean swaps) {
    for (int i = 0; i < first.length; i++) {
      int position = position(lane) + i * width;
      long old = Bytes.read(bytes, position, width);
      long b = second[i].get(frame, lane);
      long value = op != null ? op.apply(old, first[i].get(frame, lane), b) : swaps ? b : old;
      Bytes.write(bytes, position, width, value);
      Slot target = targets[i];
      if (target != null) {
        target.set(frame, lane, old);
      }
    }
  }

  @Override
  void miss(Frame frame, int lane) {
    for (Slot target : targets) {
      if (target != null) {
        target.set(frame, lane, 0);
      }
    }
  }
}
