package org.vramkit.sim.fault;

import org.vramkit.sim.timeline.Point;

/**
 * What the plan in force does to a piece of work: it takes so many times as long, then so much
 * longer, or it never ends.
 */
public record Fate(double factor, long extraNanos, boolean hangs) {
  /** Nothing happens to it. */
  public static final Fate NORMAL = new Fate(1, 0, false);

  Fate slower(double times, long longer) {
    // Finite, so that no time at all stays none.
    double product = Math.min(Double.MAX_VALUE, factor * times);
    return new Fate(product, Point.after(extraNanos, longer), hangs);
  }

  /** How long work takes that would take so long by itself, in nanoseconds. */
  public long duration(long nanos) {
    return Point.after(factor == 1 ? nanos : (long) (nanos * factor), extraNanos);
  }
}
