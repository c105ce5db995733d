package org.vramkit.ptx.step;

import java.util.List;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.run.Collective;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** The functions of the warp: shuffles, votes, matches, reductions. */
@SuppressWarnings("OperatorPrecedence") // masks and shifts read best without parentheses
public final class WarpFunctions {
  private WarpFunctions() {}

  /** A function over the values of the lanes of a mask. */
  abstract static class Member extends Collective {
    private final @Nullable Slot members;

    Member(@Nullable Slot members) {
      this.members = members;
    }

    @Override
    protected final boolean isSynchronizing() {
      return members != null;
    }

    @Override
    protected final int members(Frame frame, int lane, int mask) {
      return members == null ? mask : (int) members.get(frame, lane);
    }

    static void gather(List<Part> parts, Slot source, long[] values) {
      for (Part part : parts) {
        for (int lanes = part.mask(); lanes != 0; lanes &= lanes - 1) {
          int lane = Integer.numberOfTrailingZeros(lanes);
          values[lane] = source.get(part.frame(), lane);
        }
      }
    }

    static int gather(List<Part> parts, Predicates.Source source) {
      int bits = 0;
      for (Part part : parts) {
        bits |= source.get(part.frame()) & part.mask();
      }
      return bits;
    }

    static void scatter(List<Part> parts, Slot target, long[] values) {
      for (Part part : parts) {
        for (int lanes = part.mask(); lanes != 0; lanes &= lanes - 1) {
          int lane = Integer.numberOfTrailingZeros(lanes);
          target.set(part.frame(), lane, values[lane]);
        }
      }
    }
  }

  /** Takes the value of another lane. */
  public static final class Shuffle extends Member {
    private final String mode;
    private final @Nullable Slot target;
    private final @Nullable Slot inRange;
    private final Slot source;
    private final Slot distance;
    private final Slot clamp;

    /** The registers of a shuffle. */
    public record Registers(
        @Nullable Slot target, @Nullable Slot inRange, Slot source, Slot distance, Slot clamp) {}

    public Shuffle(String mode, Registers registers, @Nullable Slot members) {
      super(members);
      this.mode = mode;
      this.target = registers.target;
      this.inRange = registers.inRange;
      this.source = registers.source;
      this.distance = registers.distance;
      this.clamp = registers.clamp;
    }

    @Override
    protected void perform(Warp warp, List<Part> parts, int all) {
      long[] values = new long[32];
      long[] results = new long[32];
      gather(parts, source, values);
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
            values[taken] = isSynchronizing() ? 0 : source.get(part.frame(), taken);
            if (isSynchronizing()) {
              reportSource(warp, lane, taken);
            }
          }
          results[lane] = values[taken];
          valid |= within ? 1 << lane : 0;
        }
      }
      if (target != null) {
        scatter(parts, target, results);
      }
      if (inRange != null) {
        for (Part part : parts) {
          inRange.setBits(part.frame(), part.mask(), valid);
        }
      }
    }

    /** Returns the lane that a lane takes from, or -1 if it is out of range. */
    private int from(int lane, int b, int c) {
      int limit = c & 31;
      int segment = c >>> 8 & 31;
      int most = lane & segment | limit & ~segment;
      int from;
      boolean within;
      switch (mode) {
        case "up" -> {
          from = lane - b;
          within = from >= most;
        }
        case "down" -> {
          from = lane + b;
          within = from <= most;
        }
        case "bfly" -> {
          from = lane ^ b;
          within = from <= most;
        }
        default -> {
          from = lane & segment | b & ~segment;
          within = from <= most;
        }
      }
      return within ? from & 31 : -1;
    }
  }

  /** Votes on a predicate. */
  public static final class Vote extends Member {
    private final String mode;
    private final Slot target;
    private final Predicates.Source source;

    public Vote(String mode, Slot target, Predicates.Source source, @Nullable Slot members) {
      super(members);
      this.mode = mode;
      this.target = target;
      this.source = source;
    }

    @Override
    protected void perform(Warp warp, List<Part> parts, int all) {
      int bits = gather(parts, source);
      long[] values = new long[32];
      boolean every = bits == all;
      long value =
          switch (mode) {
            case "all" -> every ? 1 : 0;
            case "any" -> bits != 0 ? 1 : 0;
            case "uni" -> every || bits == 0 ? 1 : 0;
            default -> bits;
          };
      java.util.Arrays.fill(values, value);
      scatter(parts, target, values);
    }
  }

  /** Finds the lanes with the same value. */
  public static final class Match extends Member {
    private final boolean any;
    private final Slot target;
    private final @Nullable Slot agreed;
    private final Slot source;

    public Match(boolean any, Slot target, @Nullable Slot agreed, Slot source, Slot members) {
      super(members);
      this.any = any;
      this.target = target;
      this.agreed = agreed;
      this.source = source;
    }

    @Override
    protected void perform(Warp warp, List<Part> parts, int all) {
      long[] values = new long[32];
      long[] results = new long[32];
      gather(parts, source, values);
      for (int lanes = all; lanes != 0; lanes &= lanes - 1) {
        int lane = Integer.numberOfTrailingZeros(lanes);
        int same = 0;
        for (int others = all; others != 0; others &= others - 1) {
          int other = Integer.numberOfTrailingZeros(others);
          same |= values[other] == values[lane] ? 1 << other : 0;
        }
        results[lane] = any ? same : same == all ? all : 0;
      }
      scatter(parts, target, results);
      if (agreed != null) {
        int agree = results[Integer.numberOfTrailingZeros(all)] == (all & 0xffffffffL) ? -1 : 0;
        agree |= results[Integer.numberOfTrailingZeros(all)] == all ? -1 : 0;
        for (Part part : parts) {
          agreed.setBits(part.frame(), part.mask(), agree);
        }
      }
    }
  }

  /** Reduces the values of the lanes. */
  public static final class Reduce extends Member {
    private final LongBinaryOperator op;
    private final Slot target;
    private final Slot source;

    public Reduce(LongBinaryOperator op, Slot target, Slot source, Slot members) {
      super(members);
      this.op = op;
      this.target = target;
      this.source = source;
    }

    @Override
    protected void perform(Warp warp, List<Part> parts, int all) {
      long[] values = new long[32];
      gather(parts, source, values);
      int first = Integer.numberOfTrailingZeros(all);
      long result = values[first];
      for (int lanes = all & (all - 1); lanes != 0; lanes &= lanes - 1) {
        result = op.applyAsLong(result, values[Integer.numberOfTrailingZeros(lanes)]);
      }
      java.util.Arrays.fill(values, result);
      scatter(parts, target, values);
    }
  }

  /** Chooses the first lane of the mask. */
  public static final class Elect extends Member {
    private final @Nullable Slot target;
    private final @Nullable Slot elected;

    public Elect(@Nullable Slot target, @Nullable Slot elected, Slot members) {
      super(members);
      this.target = target;
      this.elected = elected;
    }

    @Override
    protected void perform(Warp warp, List<Part> parts, int all) {
      int first = Integer.numberOfTrailingZeros(all);
      long[] values = new long[32];
      java.util.Arrays.fill(values, first);
      if (target != null) {
        scatter(parts, target, values);
      }
      if (elected != null) {
        for (Part part : parts) {
          elected.setBits(part.frame(), part.mask(), 1 << first);
        }
      }
    }
  }

  /** Waits for the lanes of a mask, at this step or another of its kind. */
  public static final class Sync extends Member {
    public Sync(Slot members) {
      super(members);
    }

    @Override
    protected void perform(Warp warp, List<Part> parts, int all) {
      // The order of the lanes is all that it gives.
    }

    @Override
    protected boolean differs(Step other) {
      return !(other instanceof Sync);
    }
  }
}
