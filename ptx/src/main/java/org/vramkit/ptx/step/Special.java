package org.vramkit.ptx.step;

import java.util.Arrays;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** Reads a special register. */
public final class Special extends Step {
  private final Slot target;
  private final Reader reader;
  private final boolean uniform;

  /** The value for a lane. */
  @FunctionalInterface
  public interface Reader {
    long of(Warp warp, Frame frame, int lane);
  }

  public Special(Slot target, Reader reader) {
    this(target, reader, false);
  }

  /** Creates a step; {@code uniform} if all lanes of a warp get the same value. */
  public Special(Slot target, Reader reader, boolean uniform) {
    this.target = target;
    this.reader = reader;
    this.uniform = uniform && !target.predicate();
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    if (uniform && mask == -1) {
      Arrays.fill(frame.registers[target.index()], reader.of(warp, frame, 0) & target.mask());
      return;
    }
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      target.set(frame, lane, reader.of(warp, frame, lane));
    }
  }
}
