package org.vramkit.ptx.step;

import org.vramkit.ptx.check.RaceChecker;
import org.vramkit.ptx.run.Bytes;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Warp;

/** Writes registers to memory, one for each element. */
public final class Store extends Access {
  private final Slot[] sources;

  public Store(Where where, Shape shape, Slot[] sources) {
    super("writes", where, shape);
    this.sources = sources;
  }

  @Override
  void access(Warp warp, Frame frame, int lanes) {
    RaceChecker checker = checker(warp);
    byte[] to = bytes;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int position = position(lane);
      boolean same = true;
      for (int i = 0; i < sources.length; i++) {
        long value = sources[i].get(frame, lane);
        if (checker != null) {
          same &= (Bytes.read(to, position + i * width, width) ^ value) << (64 - 8 * width) == 0;
        }
        Bytes.write(to, position + i * width, width, value);
      }
      if (checker != null) {
        checkWrite(warp, checker, lane, same, false);
      }
    }
  }
}
