package org.vramkit.ptx.step;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.RaceChecker;
import org.vramkit.ptx.run.Bytes;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Warp;

/** Reads memory into registers, one for each element; null ignores an element. */
public final class Load extends Access {
  private final @Nullable Slot[] targets;
  private final int signShift;

  /** Creates a load; {@code signed} extends elements by their sign. */
  public Load(Where where, Shape shape, boolean signed, @Nullable Slot[] targets) {
    super("reads", where, shape);
    this.targets = targets;
    this.signShift = signed ? 64 - 8 * width : 0;
  }

  /** Leaves bytes unchecked before and behind those that a mask names. */
  public void use(int mask) {
    int used = mask & (int) ((1L << size) - 1);
    if (used != 0) {
      unusedBefore = Integer.numberOfTrailingZeros(used);
      unusedBehind = size - Integer.SIZE + Integer.numberOfLeadingZeros(used);
    }
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    if (isStrong()) {
      warp.poll();
    }
    super.run(warp, frame, mask);
  }

  @Override
  void access(Warp warp, Frame frame, int lanes) {
    RaceChecker checker = checker(warp);
    for (int rest = checker == null ? 0 : lanes; rest != 0 && checker != null; rest &= rest - 1) {
      checkRead(warp, checker, Integer.numberOfTrailingZeros(rest));
    }
    for (int i = 0; i < targets.length; i++) {
      Slot target = targets[i];
      if (target != null) {
        read(frame, lanes, target, i * width);
      }
    }
  }

  private void read(Frame frame, int lanes, Slot target, int shift) {
    byte[] from = bytes;
    long[] values = frame.registers[target.index()];
    long kept = target.mask();
    if (isUniform() && lanes == -1) {
      Arrays.fill(values, value(from, lanes, shift) & kept);
    } else if (width == 4 && kept == 0xffffffffL) {
      for (int rest = lanes; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        values[lane] = Bytes.read(from, position(lane) + shift, 4);
      }
    } else {
      for (int rest = lanes; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        values[lane] = value(from, rest, shift) & kept;
      }
    }
  }

  /** Returns the value that the first of some lanes reads. */
  private long value(byte[] from, int lanes, int shift) {
    int position = position(Integer.numberOfTrailingZeros(lanes)) + shift;
    return Bytes.read(from, position, width) << signShift >> signShift;
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
