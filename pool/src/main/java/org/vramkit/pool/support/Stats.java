package org.vramkit.pool.support;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.allocator.Metric.Kind;
import org.vramkit.api.allocator.Stat;
import org.vramkit.api.units.ByteSize;

/**
 * The figures of an allocator or of one of its pools: for each, the current value, the peak, and
 * the sums of increases and decreases. A pool's figures are part of those of its allocator.
 * Thread-safe; no other lock than the parent's is acquired under the monitor.
 */
public class Stats {
  /** Bytes that may be reserved beyond twice the peak, so that small pools keep their memory. */
  public static final long ALLOWANCE = 64 * ByteSize.MIB;

  private static final Figure[] FIGURES = Figure.values();

  private final @Nullable Stats parent;
  private final long[] current = new long[FIGURES.length];
  private final long[] peak = new long[FIGURES.length];
  private final long[] added = new long[FIGURES.length];
  private final long[] removed = new long[FIGURES.length];

  /** Creates figures that are 0 and part of no others. */
  public Stats() {
    this(null);
  }

  /** Creates figures that are 0; each change is also one of the parent's. */
  public Stats(@Nullable Stats parent) {
    this.parent = parent;
  }

  /**
   * Returns the growth bound: how many bytes a pool with this peak of live bytes may reserve, even
   * if its budget allows more. A pool that would exceed the bound returns free memory before it
   * takes more.
   */
  public static long growthBound(long livePeak) {
    return livePeak > (Long.MAX_VALUE - ALLOWANCE) / 2 ? Long.MAX_VALUE : 2 * livePeak + ALLOWANCE;
  }

  @SuppressWarnings("EnumOrdinal") // The arrays last as long as the enum.
  private static int indexOf(Figure figure) {
    return figure.ordinal();
  }

  /** Adds an amount, which is negative for a decrease. */
  public final void add(Figure figure, long amount) {
    int i = indexOf(figure);
    synchronized (this) {
      current[i] += amount;
      peak[i] = Math.max(peak[i], current[i]);
      added[i] += Math.max(0, amount);
      removed[i] -= Math.min(0, amount);
    }
    if (parent != null) {
      parent.add(figure, amount);
    }
  }

  /** Raises a peak to one that was measured elsewhere. */
  final synchronized void raisePeakTo(Figure figure, long value) {
    peak[indexOf(figure)] = Math.max(peak[indexOf(figure)], value);
  }

  public final synchronized long current(Figure figure) {
    return current[indexOf(figure)];
  }

  public final synchronized Stat get(Figure figure) {
    int i = indexOf(figure);
    return figure.getKind() == Kind.COUNTER
        ? Stat.of(added[i])
        : new Stat(current[i], peak[i], added[i], removed[i]);
  }

  /** Returns all figures of one moment; calls of the driver are those that changed the segments. */
  public final synchronized Map<Figure, Stat> getAll() {
    Map<Figure, Stat> all = new EnumMap<>(Figure.class);
    for (Figure each : FIGURES) {
      all.put(each, get(each));
    }
    Stat segments = get(Figure.SEGMENTS);
    all.put(Figure.DRIVER_ALLOCATIONS, Stat.of(segments.added()));
    all.put(Figure.DRIVER_FREES, Stat.of(segments.removed()));
    return all;
  }

  public final synchronized void resetPeaks() {
    System.arraycopy(current, 0, peak, 0, peak.length);
  }

  /** Resets every peak to the current value, and all sums and counters to 0. */
  public final synchronized void reset() {
    resetPeaks();
    for (int i = 0; i < FIGURES.length; i++) {
      added[i] = 0;
      removed[i] = 0;
    }
  }
}
