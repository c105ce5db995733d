package org.vramkit.ptx.step;

import org.vramkit.ptx.check.RaceChecker;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Warp;

/** Writes registers to memory, one for each element. */
public final class Store extends Access {
  private final Slot[] sources;

  public Store(Where where, Shape shape, Slot[] sources) {
    super(where, shape);
    this.sources = sources;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    RaceChecker checker = checker(warp);
    begin();
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      if (!locate(warp, frame, lane, "writes")) {
        continue;
      }
      boolean same = true;
      for (int i = 0; i < sources.length; i++) {
        long value = sources[i].get(frame, lane);
        if (checker != null) {
          same &= (read(bytes, at + i * width, width) ^ value) << (64 - 8 * width) == 0;
        }
        write(bytes, at + i * width, width, value);
      }
      if (checker != null) {
        checkWrite(warp, checker, lane, same, false);
      }
    }
  }
}
