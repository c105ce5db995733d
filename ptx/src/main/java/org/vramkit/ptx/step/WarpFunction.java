package org.vramkit.ptx.step;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.run.Collective;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/**
 * A function of the warp: a vote, match, reduction or election, or a barrier that computes none.
 */
public class WarpFunction extends Collective {
  private final Function function;
  private final Registers registers;
  private final @Nullable Slot members;

  /** A function of the values in the lanes that take part. */
  @FunctionalInterface
  public interface Function {
    /**
     * Computes the results of all lanes.
     *
     * @param values the values of the source; the results replace them
     * @param all the lanes that take part
     * @return the predicate of each lane
     */
    int apply(long[] values, int all);
  }

  /** The targets of the result and the predicate, and the source; null if there is none. */
  public record Registers(@Nullable Slot target, @Nullable Slot predicate, @Nullable Slot source) {}

  /** Creates a function; {@code members} is null if it is not {@code .sync}. */
  public WarpFunction(Function function, Registers registers, @Nullable Slot members) {
    this.function = function;
    this.registers = registers;
    this.members = members;
  }

  /** Returns a step that waits for the lanes of a mask, at this step or another of its kind. */
  public static WarpFunction barrier(Slot members) {
    return new WarpFunction((values, all) -> 0, new Registers(null, null, null), members) {
      @Override
      protected boolean differs(Step other) {
        return other.getClass() != getClass();
      }
    };
  }

  @Override
  protected final boolean isSynchronizing() {
    return members != null;
  }

  @Override
  protected final int members(Frame frame, int lane, int mask) {
    return members == null ? mask : (int) members.get(frame, lane);
  }

  @Override
  protected final void perform(Warp warp, List<Part> parts, int all) {
    long[] values = new long[Frame.LANES];
    Slot source = registers.source;
    for (Part part : parts) {
      for (int lanes = part.mask(); source != null && lanes != 0; lanes &= lanes - 1) {
        int lane = Integer.numberOfTrailingZeros(lanes);
        values[lane] = source.get(part.frame(), lane);
      }
    }
    int predicates = compute(warp, parts, values, all);
    Slot target = registers.target;
    for (Part part : parts) {
      for (int lanes = part.mask(); target != null && lanes != 0; lanes &= lanes - 1) {
        int lane = Integer.numberOfTrailingZeros(lanes);
        target.set(part.frame(), lane, values[lane]);
      }
      if (registers.predicate != null) {
        registers.predicate.setBits(part.frame(), part.mask(), predicates);
      }
    }
  }

  int compute(Warp warp, List<Part> parts, long[] values, int all) {
    return function.apply(values, all);
  }
}
