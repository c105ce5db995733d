package org.vramkit.ptx.step;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;

/** Applies an operation to registers, lane by lane, or by a loop over all lanes if there is one. */
public final class Compute extends Step {
  private static final Slot NONE = new Slot(false, 0, 0);
  private static final long[] ZEROS = new long[Frame.LANES];

  private final Op op;
  private final @Nullable String key;
  private @Nullable Loop loop;
  private final Slot target;
  private final Slot a;
  private final Slot b;
  private final Slot c;
  private final int count;

  /**
   * Creates a step.
   *
   * @param key names the operation: steps of one key share a loop; null if there is none
   */
  public Compute(Op op, @Nullable String key, Slot target, Slot... sources) {
    this.op = op;
    this.target = target;
    this.count = sources.length;
    this.a = count > 0 ? sources[0] : NONE;
    this.b = count > 1 ? sources[1] : NONE;
    this.c = count > 2 ? sources[2] : NONE;
    this.key = target.predicate() || a.predicate() || b.predicate() ? null : key;
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    if (mask == -1 && key != null) {
      if (loop == null) {
        loop = Loop.of(key, op);
      }
      runAll(frame, loop);
      return;
    }
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      long x = count > 0 ? a.get(frame, lane) : 0;
      long y = count > 1 ? b.get(frame, lane) : 0;
      long z = count > 2 ? c.get(frame, lane) : 0;
      target.set(frame, lane, op.apply(x, y, z));
    }
  }

  private void runAll(Frame frame, Loop each) {
    long[] to = frame.registers[target.index()];
    long[] x = count > 0 ? frame.registers[a.index()] : ZEROS;
    long[] y = count > 1 ? frame.registers[b.index()] : ZEROS;
    if (count > 2 && c.predicate()) {
      each.select(to, x, y, frame.predicates[c.index()], target.mask());
    } else {
      long[] z = count > 2 ? frame.registers[c.index()] : ZEROS;
      each.compute(to, x, y, z, target.mask());
    }
  }
}
