package org.vramkit.ptx.check;

import java.util.ArrayList;
import java.util.List;

/**
 * The asynchronous copies that lanes of a warp have not waited for. Copies of the same lanes in the
 * same group share a strand of their own, which precedes nothing while they are under way.
 */
final class AsyncCopies {
  private final Strands strands;
  private final List<Batch> batches = new ArrayList<>();

  /** Groups that each lane has committed. */
  private final int[] committed = new int[32];

  private static final class Batch {
    final int strand;

    /** Lanes that have not waited, and those of them that have not committed the copies. */
    int lanes;

    int open;

    /** The group of each lane, once it is committed. */
    final int[] group = new int[32];

    Batch(int strand, int lanes) {
      this.strand = strand;
      this.lanes = lanes;
      this.open = lanes;
    }
  }

  AsyncCopies(Strands strands) {
    this.strands = strands;
  }

  /** Returns the strand of copies that some lanes begin. */
  int begin(WarpOrder warp, int lanes) {
    for (Batch each : batches) {
      if (each.lanes == lanes && each.open == lanes) {
        return each.strand;
      }
    }
    int strand = strands.addUnderWay(warp.block, warp.warp, lanes);
    batches.add(new Batch(strand, lanes));
    return strand;
  }

  /** Returns the strand of copies that only what the warp releases next orders. */
  int handed(WarpOrder warp, int lanes) {
    int strand = strands.addUnderWay(warp.block, warp.warp, lanes);
    strands.land(strand, lanes, warp.time, true);
    return strand;
  }

  /** Puts the copies that lanes have begun into a group. */
  void commit(int lanes) {
    for (Batch each : batches) {
      int closed = each.open & lanes;
      each.open &= ~closed;
      for (int rest = closed; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        each.group[lane] = committed[lane];
      }
    }
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      committed[Integer.numberOfTrailingZeros(rest)]++;
    }
  }

  /** Completes all groups of some lanes but the last ones. */
  void await(int lanes, long left, int time) {
    for (Batch each : batches) {
      int done = 0;
      for (int rest = each.lanes & ~each.open & lanes; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        done |= committed[lane] - each.group[lane] > left ? 1 << lane : 0;
      }
      end(each, done, time, false);
    }
    batches.removeIf(each -> each.lanes == 0);
  }

  /** Leaves the copies of some lanes to the releases of what they do next. */
  void hand(int lanes, int time) {
    batches.forEach(each -> end(each, each.lanes & lanes, time, true));
    batches.removeIf(each -> each.lanes == 0);
  }

  private void end(Batch batch, int lanes, int time, boolean handed) {
    if (lanes != 0) {
      batch.lanes &= ~lanes;
      batch.open &= ~lanes;
      strands.land(batch.strand, lanes, time, handed);
    }
  }
}
