package org.vramkit.ptx.step;

import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;
import org.vramkit.ptx.run.Windows;
import org.vramkit.ptx.syntax.Space;

/** Tells whether a generic address is in a space. */
public final class AddressTest extends Step {
  private final Slot target;
  private final Slot address;
  private final Space space;

  public AddressTest(Slot target, Slot address, Space space) {
    this.target = target;
    this.address = address;
    this.space = space;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      target.set(frame, lane, isInside(warp, address.get(frame, lane)) ? 1 : 0);
    }
  }

  private boolean isInside(Warp warp, long where) {
    boolean constant = warp.grid().layout.constants().find(where, 1) >= 0;
    return switch (space) {
      case SHARED -> Windows.contains(Windows.SHARED, where);
      case LOCAL -> Windows.contains(Windows.LOCAL, where);
      case PARAM -> Windows.contains(Windows.PARAM, where);
      case CONST -> constant;
      default -> Windows.contains(0, where) && !constant;
    };
  }
}
