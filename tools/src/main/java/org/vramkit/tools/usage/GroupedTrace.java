package org.vramkit.tools.usage;

import java.util.Arrays;
import org.vramkit.tools.trace.Trace;

/** A trace whose allocations are divided into rows. */
final class GroupedTrace {
  /** Weight of a shared byte over any live byte in {@link #findSimilar}. */
  private static final double SHARED = 16;

  private final Trace trace;
  private final int[] rowOf;
  private final int rows;

  /**
   * Creates a grouped trace.
   *
   * @param rowOf row of each allocation
   * @param rows number of rows
   */
  GroupedTrace(Trace trace, int[] rowOf, int rows) {
    this.trace = trace;
    this.rowOf = rowOf;
    this.rows = rows;
  }

  Trace getTrace() {
    return trace;
  }

  /** Returns the first event that can be a moment: memory held before exists as a whole. */
  private int firstMoment() {
    return Math.max(0, trace.getHeldBefore() - 1);
  }

  private long change(int event) {
    long size = trace.getSize(trace.getAllocation(event));
    return trace.isAllocation(event) ? size : -size;
  }

  /** Returns the first event after which most bytes are live. */
  int findPeak() {
    long live = 0;
    long most = -1;
    int peak = firstMoment();
    for (int event = 0; event < trace.getEventCount(); event++) {
      live += change(event);
      if (event >= firstMoment() && live > most) {
        most = live;
        peak = event;
      }
    }
    return peak;
  }

  /**
   * Returns the event whose live bytes resemble those of another trace most: the more bytes the
   * rows share, the better, and among moments that share about as many, the more bytes are live.
   * Peaks may come at different moments of a program, which would hide what has changed.
   *
   * @param other live bytes of each row in the other trace
   */
  int findSimilar(long[] other) {
    long[] own = new long[rows];
    long live = 0;
    long shared = 0;
    double best = -1;
    int similar = firstMoment();
    for (int event = 0; event < trace.getEventCount(); event++) {
      int row = rowOf[trace.getAllocation(event)];
      long change = change(event);
      shared -= Math.min(own[row], other[row]);
      own[row] += change;
      shared += Math.min(own[row], other[row]);
      live += change;
      double likeness = SHARED * shared + live;
      if (event >= firstMoment() && likeness > best) {
        best = likeness;
        similar = event;
      }
    }
    return similar;
  }

  /** Live memory of each row after an event. */
  static final class Live {
    final long[] bytes;
    final int[] blocks;

    private Live(int rows) {
      bytes = new long[rows];
      blocks = new int[rows];
    }

    long total() {
      return Arrays.stream(bytes).sum();
    }
  }

  Live at(int event) {
    Live live = new Live(rows);
    for (int i = 0; i <= event; i++) {
      int row = rowOf[trace.getAllocation(i)];
      live.bytes[row] += change(i);
      live.blocks[row] += trace.isAllocation(i) ? 1 : -1;
    }
    return live;
  }

  /** The lives of the blocks of each row. */
  static final class Lives {
    final long[] allocations;

    /** Number of blocks that are live at the end. */
    final long[] kept;

    /** Sum of the events from each allocation to its free or the end. */
    final double[] life;

    /** Sum of these events times bytes. */
    final double[] byteLife;

    private Lives(int rows) {
      allocations = new long[rows];
      kept = new long[rows];
      life = new double[rows];
      byteLife = new double[rows];
    }
  }

  /** Sums the lives of all blocks. */
  Lives lives() {
    Lives lives = new Lives(rows);
    int end = trace.getEventCount() - 1;
    for (int event = 0; event <= end; event++) {
      int allocation = trace.getAllocation(event);
      int row = rowOf[allocation];
      // A block lives to the end, unless a free takes the rest away.
      int sign = trace.isAllocation(event) ? 1 : -1;
      double rest = (double) sign * (end - event);
      lives.allocations[row] += trace.isAllocation(event) ? 1 : 0;
      lives.kept[row] += sign;
      lives.life[row] += rest;
      lives.byteLife[row] += rest * trace.getSize(allocation);
    }
    return lives;
  }
}
