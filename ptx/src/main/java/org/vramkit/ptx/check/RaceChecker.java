package org.vramkit.ptx.check;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds accesses of different threads that nothing orders. Each access is compared with the last
 * write of its bytes, a write also with two of the last reads, and replaces them. The order is that
 * of CUDA's model: barriers of the block, functions of the warp, and atomic or volatile accesses
 * together with fences.
 */
public final class RaceChecker {
  final Strands strands = new Strands();
  private final Releases releases = new Releases();

  /** Excuses plain reads from an order with atomic operations: loops that swap begin so. */
  private final boolean readsBeforeSwap;

  /** True if no thread had written some byte of the last access. */
  private boolean unwritten;

  public RaceChecker(boolean readsBeforeSwap) {
    this.readsBeforeSwap = readsBeforeSwap;
  }

  /** Creates the order of a warp of a block that starts. */
  public WarpOrder warp(int block, int warp, int warps) {
    return new WarpOrder(this, block, warp, warps);
  }

  /** Kinds of accesses, by the order that they take part in. */
  public enum Strength {
    WEAK(0),
    VOLATILE(Cell.STRONG | Cell.VOLATILE),
    ATOMIC(Cell.STRONG);

    final int flags;

    Strength(int flags) {
      this.flags = flags;
    }
  }

  /**
   * Orders the warps that meet at a barrier; warps of a partial meeting keep the rest of theirs.
   */
  public void barrier(List<WarpOrder> warps) {
    if (warps.isEmpty()) {
      return;
    }
    int[] joined = warps.get(0).known.clone();
    Releases.@Nullable Acquired acquired = warps.get(0).acquired;
    for (WarpOrder each : warps) {
      int[] known = each.known;
      for (int i = 0; i < joined.length; i++) {
        joined[i] = Math.max(joined[i], known[i]);
      }
      acquired = Releases.union(acquired, each.acquired);
    }
    for (WarpOrder each : warps) {
      each.advance();
      joined[each.warp] = each.time;
    }
    for (WarpOrder each : warps) {
      each.known = joined;
      each.acquired = acquired;
    }
  }

  /** Notes an atomic or volatile access, which may hand over or take over what fences published. */
  public void strong(WarpOrder warp, long address, boolean loads, boolean stores) {
    releases.access(warp, address, loads, stores);
    warp.concurrent = 0;
  }

  /** Returns whether no thread of the launch had written some byte of the last access before it. */
  public boolean isUnwritten() {
    return unwritten;
  }

  /**
   * Notes a read.
   *
   * @param offset first byte, from the shadow's first one
   * @param together lanes that run together with this one
   */
  public @Nullable Conflict read(
      Shadow shadow,
      int offset,
      int count,
      WarpOrder warp,
      int lane,
      int together,
      int step,
      Strength strength) {
    Shadow cells = shadow.cellsOf(offset, count);
    int end = cells.end(offset + count);
    int flags = strength.flags;
    Conflict conflict = null;
    long cell = Cell.of(warp.strand, lane, step, flags);
    unwritten = false;
    for (int i = offset >>> cells.shift; i < end; i++) {
      long write = cells.writes[i];
      unwritten |= write == 0;
      if (write != 0 && conflict == null) {
        boolean excused = readsBeforeSwap && (write & 7) == Cell.STRONG;
        conflict = excused ? null : compare(write, true, warp, lane, together, flags);
      }
      long[] plain = cells.plainWrites;
      if (plain != null && plain[i] != 0 && conflict == null) {
        conflict = compare(plain[i], true, warp, lane, together, flags);
      }
      long read = cells.reads[i];
      if (read == 0) {
        cells.read(i, write == 0 ? cell | Cell.KEPT : cell);
      } else if (precedes(read, warp, lane)) {
        cells.read(i, cell | (read & Cell.KEPT));
      } else {
        cells.others()[i] = cell;
      }
    }
    return conflict;
  }

  /** Notes a write; {@code sameValue} says that it leaves its bytes as they are. */
  public @Nullable Conflict write(
      Shadow shadow,
      int offset,
      int count,
      WarpOrder warp,
      int lane,
      int together,
      int step,
      Strength strength,
      boolean sameValue) {
    Shadow cells = shadow.cellsOf(offset, count);
    int end = cells.end(offset + count);
    int flags = strength.flags;
    Conflict conflict = null;
    boolean atomic = flags == Cell.STRONG;
    long cell = Cell.of(warp.strand, lane, step, flags) | (atomic ? 0 : Cell.KEPT);
    unwritten = false;
    for (int i = offset >>> cells.shift; i < end; i++) {
      long write = cells.writes[i];
      unwritten |= write == 0;
      if (conflict == null) {
        if (write != 0 && !sameValue) {
          // Lanes that write together in one step are in no order.
          boolean sameStep = Cell.strand(write) == warp.strand && Cell.step(write) == step;
          conflict = compare(write, true, warp, lane, sameStep ? 0 : together, flags);
        }
        long[] plain = cells.plainWrites;
        if (plain != null && plain[i] != 0 && conflict == null) {
          conflict = compare(plain[i], true, warp, lane, together, flags);
        }
        long read = cells.reads[i];
        if (read != 0 && conflict == null && !(readsBeforeSwap && atomic)) {
          conflict = compare(read, false, warp, lane, together, flags);
        }
        long[] others = cells.otherReads;
        if (others != null && others[i] != 0 && conflict == null && !(readsBeforeSwap && atomic)) {
          conflict = compare(others[i], false, warp, lane, together, flags);
        }
      }
      if (atomic) {
        if (write != 0 && (write & Cell.STRONG) == 0) {
          cells.plain()[i] = write;
        }
      } else if (cells.plainWrites != null) {
        cells.plainWrites[i] = 0;
      }
      cells.write(i, cell | (write & Cell.KEPT));
    }
    return conflict;
  }

  /** Returns whether an earlier access is of the same thread as a lane, or ordered before it. */
  private boolean precedes(long cell, WarpOrder warp, int lane) {
    int strand = Cell.strand(cell);
    if (strand == warp.strand) {
      return Cell.lane(cell) == lane;
    }
    return strand == warp.preceding
        || (strand != warp.concurrent && isOrdered(strand, Cell.lane(cell), warp, lane));
  }

  private boolean isOrdered(int strand, int earlier, WarpOrder warp, int lane) {
    int block = strands.block(strand);
    int other = strands.warp(strand);
    int time = strands.time(strand);
    if (strands.isUnderWay(strand, earlier)) {
      return false;
    }
    if (strands.isHanded(strand, earlier)) {
      return warp.acquired != null
          && releases.precedes(warp, block, other, time)
          && notePreceding(strand, warp);
    }
    boolean sameWarp = block == warp.block && other == warp.warp;
    boolean byBarrier = block == warp.block && time < warp.known[other];
    if (sameWarp ? warp.isSynced(time) : byBarrier) {
      return notePreceding(strand, warp);
    }
    if (sameWarp && (earlier == lane || warp.isSynced(earlier, lane, time))) {
      return true;
    }
    if (warp.acquired != null && releases.precedes(warp, block, other, time)) {
      return notePreceding(strand, warp);
    }
    warp.concurrent = sameWarp ? 0 : strand;
    return false;
  }

  /** Remembers a strand that precedes the warp as a whole. Returns true. */
  private boolean notePreceding(int strand, WarpOrder warp) {
    if (strands.isUniform(strand)) {
      warp.preceding = strand;
    }
    return true;
  }

  /** Returns null if an earlier access precedes one of a lane, or needs no order. */
  private @Nullable Conflict compare(
      long cell, boolean writes, WarpOrder warp, int lane, int together, int flags) {
    boolean strong = (cell & flags & Cell.STRONG) != 0;
    boolean isVolatile = ((cell | flags) & Cell.VOLATILE) != 0;
    if ((strong && !isVolatile) || precedes(cell, warp, lane)) {
      return null;
    }
    return judge(cell, writes, warp, lane, together, strong);
  }

  private @Nullable Conflict judge(
      long cell, boolean writes, WarpOrder warp, int lane, int together, boolean strong) {
    int strand = Cell.strand(cell);
    int block = strands.block(strand);
    int other = strands.warp(strand);
    int earlier = Cell.lane(cell);
    boolean underWay = strands.isUnderWay(strand, earlier);
    boolean lockstep =
        !underWay
            && !strands.isHanded(strand, earlier)
            && block == warp.block
            && other == warp.warp
            && ((together >>> earlier & 1) != 0
                || warp.wereTogether(earlier, lane, strands.time(strand)));
    return strong && !lockstep
        ? null
        : new Conflict(lockstep, underWay, block, other * 32 + earlier, Cell.step(cell), writes);
  }
}
