package org.vramkit.ptx.step;

import org.vramkit.ptx.check.RaceChecker;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.GlobalMemory.Window;
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
    int rest = mask;
    if (checker == null && mayBeGlobal() && sources.length == 1) {
      rest = runGlobal(warp, frame, mask, sources[0]);
    }
    for (int lanes = rest; lanes != 0; lanes &= lanes - 1) {
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

  /** Writes device memory for the first lanes, up to one outside of the first one's window. */
  private int runGlobal(Warp warp, Frame frame, int mask, Slot source) {
    Window window =
        warp.grid().global.find(address(frame, Integer.numberOfTrailingZeros(mask)), size);
    if (window == null) {
      return mask;
    }
    byte[] to = window.bytes;
    long start = window.start;
    long last = window.end - size;
    int shift = window.base;
    int lanes = mask;
    for (; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      long where = address(frame, lane);
      if (where < start || where > last || (where & size - 1) != 0) {
        break;
      }
      write(to, shift + (int) (where - start), width, source.get(frame, lane));
    }
    return lanes;
  }
}
