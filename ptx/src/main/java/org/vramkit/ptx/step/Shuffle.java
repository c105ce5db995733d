package org.vramkit.ptx.step;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Warp;

/** Takes the value of another lane. */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
public final class Shuffle extends WarpFunction {
  private final String mode;
  private final Slot source;
  private final Slot distance;
  private final Slot clamp;

  /** Creates a shuffle, whose predicate is whether the other lane is in range. */
  public Shuffle(
      String mode, Registers registers, Slot distance, Slot clamp, @Nullable Slot members) {
    super((values, all) -> 0, registers, members);
    this.mode = mode;
    this.source = Objects.requireNonNull(registers.source());
    this.distance = distance;
    this.clamp = clamp;
  }

  @Override
  int compute(Warp warp, List<Part> parts, long[] values, int all) {
    long[] given = values.clone();
    int valid = 0;
    for (Part part : parts) {
      for (int lanes = part.mask(); lanes != 0; lanes &= lanes - 1) {
        int lane = Integer.numberOfTrailingZeros(lanes);
        int c = (int) clamp.get(part.frame(), lane);
        int from = from(lane, (int) distance.get(part.frame(), lane) & 31, c);
        boolean within = from >= 0;
        int taken = within ? from : lane;
        if ((all >>> taken & 1) == 0) {
          // Before .sync, a lane that does not take part gives what its register holds.
          given[taken] = isSynchronizing() ? 0 : source.get(part.frame(), taken);
          if (isSynchronizing()) {
            reportSource(warp, lane, taken);
          }
        }
        values[lane] = given[taken];
        valid |= within ? 1 << lane : 0;
      }
    }
    return valid;
  }

  /** Returns the lane that a lane takes from, or -1 if it is out of range. */
  private int from(int lane, int b, int c) {
    int limit = c & 31;
    int segment = c >>> 8 & 31;
    int most = lane & segment | limit & ~segment;
    int from =
        switch (mode) {
          case "up" -> lane - b;
          case "down" -> lane + b;
          case "bfly" -> lane ^ b;
          default -> lane & segment | b & ~segment;
        };
    boolean within = mode.equals("up") ? from >= most : from <= most;
    return within ? from & 31 : -1;
  }
}
