package org.vramkit.ptx.step;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.RaceChecker;
import org.vramkit.ptx.check.RaceChecker.Strength;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Warp;

/** Reads memory into registers, one for each element; null ignores an element. */
public final class Load extends Access {
  private final @Nullable Slot[] targets;
  private final int signShift;

  /** Creates a load; {@code signed} extends elements by their sign. */
  public Load(Where where, Shape shape, boolean signed, @Nullable Slot[] targets) {
    super(where, shape);
    this.targets = targets;
    this.signShift = signed ? 64 - 8 * width : 0;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    RaceChecker checker = checker(warp);
    begin();
    if (strength != Strength.WEAK) {
      warp.poll();
    }
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      boolean there = locate(warp, frame, lane, "reads");
      if (there && checker != null) {
        checkRead(warp, checker, lane);
      }
      for (int i = 0; i < targets.length; i++) {
        Slot target = targets[i];
        if (target != null) {
          long value = there ? read(bytes, at + i * width, width) : 0;
          target.set(frame, lane, value << signShift >> signShift);
        }
      }
    }
  }
}
