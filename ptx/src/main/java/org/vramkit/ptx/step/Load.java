package org.vramkit.ptx.step;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.RaceChecker;
import org.vramkit.ptx.check.RaceChecker.Strength;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.GlobalMemory.Window;
import org.vramkit.ptx.run.Warp;

/** Reads memory into registers, one for each element; null ignores an element. */
public final class Load extends Access {
  private static final long[] NO_LONGS = {};

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
    Slot only = targets.length == 1 ? targets[0] : null;
    if (only != null && (checker == null || isKernelParameter())) {
      runOne(warp, frame, mask, only);
      return;
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

  /** The most frequent case: one element, not checked; parameters never are. */
  private void runOne(Warp warp, Frame frame, int mask, Slot target) {
    int rest = mayBeGlobal() ? runGlobal(warp, frame, mask, target) : mask;
    if (rest != 0 && isKernelParameter()) {
      boolean there = locate(warp, frame, Integer.numberOfTrailingZeros(rest), "reads");
      long value = there ? read(bytes, at, width) << signShift >> signShift : 0;
      for (int lanes = rest; lanes != 0; lanes &= lanes - 1) {
        target.set(frame, Integer.numberOfTrailingZeros(lanes), value);
      }
      return;
    }
    for (int lanes = rest; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      long value =
          locate(warp, frame, lane, "reads") ? read(bytes, at, width) << signShift >> signShift : 0;
      target.set(frame, lane, value);
    }
  }

  /** Reads device memory for the first lanes, up to one outside of the first one's window. */
  private int runGlobal(Warp warp, Frame frame, int mask, Slot target) {
    Window window =
        warp.grid().global.find(address(frame, Integer.numberOfTrailingZeros(mask)), size);
    if (window == null) {
      return mask;
    }
    byte[] from = window.bytes;
    long start = window.start;
    long last = window.end - size;
    int shift = window.base;
    int[] words = target.kind() == Slot.Kind.WORD ? frame.words[target.index()] : null;
    long[] longs = words == null ? frame.longs[target.index()] : NO_LONGS;
    int lanes = mask;
    for (; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      long where = address(frame, lane);
      if (where < start || where > last || (where & size - 1) != 0) {
        break;
      }
      long value = read(from, shift + (int) (where - start), width) << signShift >> signShift;
      if (words != null) {
        words[lane] = (int) value & target.mask();
      } else {
        longs[lane] = value;
      }
    }
    return lanes;
  }
}
