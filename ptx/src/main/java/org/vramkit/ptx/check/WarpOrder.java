package org.vramkit.ptx.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.Releases.Acquired;

/**
 * The order that a warp knows of. Its time rises at each event that orders something. For the lanes
 * of the warp, two logs say which of them were ordered by a function of the warp, and which ran
 * together until they diverged. For other warps of the block, {@link #known} has the time until
 * which their accesses precede. For other blocks, {@link #acquired} lists what atomic operations
 * have handed over.
 */
public final class WarpOrder {
  /** The logs keep this many events. */
  private static final int KEPT = 128;

  final int block;
  final int warp;
  final RaceChecker checker;
  int time;
  int strand;

  /** A strand that is known to precede all that the warp does from now on; 0 at first. */
  int preceding;

  /** A strand of another warp that is known not to precede this strand; 0 if none is known. */
  int concurrent;

  /**
   * Per warp of the block: accesses before this time precede. Shared, and replaced when it changes.
   */
  int[] known;

  @Nullable Acquired acquired;

  /** The state at the last fence of a block and of the device. */
  @Nullable Fence blockFence;

  @Nullable Fence deviceFence;

  private int allSynced;
  private int allTogether;
  private final Log synced = new Log();
  private final Log together = new Log();
  private @Nullable AsyncCopies copies;

  WarpOrder(RaceChecker checker, int block, int warp, int warps) {
    this.checker = checker;
    this.block = block;
    this.warp = warp;
    this.known = new int[warps];
    advance();
  }

  /** The accesses that a fence has made visible. */
  @SuppressWarnings("ArrayRecordComponent") // shared, never changed
  record Fence(int time, int[] known, @Nullable Acquired acquired) {}

  void advance() {
    time++;
    strand = checker.strands.add(block, warp, time);
    concurrent = 0;
  }

  /** Orders lanes: a function of the warp that all of these lanes execute. */
  public void synchronize(int mask, boolean all) {
    advance();
    if (all) {
      allSynced = time;
    } else {
      synced.add(time, mask);
    }
  }

  /** Notes that lanes that ran together no longer do. */
  public void diverge(int mask, boolean all) {
    advance();
    if (all) {
      allTogether = time;
    } else {
      together.add(time, mask);
    }
  }

  /**
   * Lets the accesses of an action be those of asynchronous copies: what lanes wait for, or what
   * the warp releases next.
   */
  public void copy(int lanes, boolean released, Runnable accesses) {
    if (copies == null) {
      copies = new AsyncCopies(checker.strands);
    }
    int own = strand;
    strand = released ? copies.handed(this, lanes) : copies.begin(this, lanes);
    concurrent = 0;
    accesses.run();
    strand = own;
    if (released) {
      advance();
    }
    concurrent = 0;
  }

  /** Ends a group of asynchronous copies. */
  public void commitCopies(int lanes) {
    if (copies != null) {
      copies.commit(lanes);
    }
  }

  /** Waits for all groups of asynchronous copies but the last ones. */
  public void awaitCopies(int lanes, long left) {
    if (copies != null) {
      copies.await(lanes, left, time);
      advance();
    }
  }

  /** Orders asynchronous copies of lanes by what the warp releases next, and by nothing else. */
  public void releaseCopies(int lanes) {
    if (copies != null) {
      copies.hand(lanes, time);
      advance();
    }
  }

  /** Makes what precedes visible to others that read what this warp stores next. */
  public void fence(boolean device) {
    advance();
    Fence fence = new Fence(time, known, acquired);
    blockFence = fence;
    if (device) {
      deviceFence = fence;
    }
  }

  /**
   * Returns whether a function of the warp orders an earlier access of a lane before another lane.
   */
  boolean isSynced(int earlierLane, int lane, int earlierTime) {
    return isSynced(earlierTime) || synced.connects(earlierLane, lane, earlierTime);
  }

  /** Returns whether a function of the whole warp orders all accesses before a time. */
  boolean isSynced(int earlierTime) {
    return earlierTime < allSynced;
  }

  /** Returns whether two lanes have run together since a time. */
  boolean wereTogether(int earlierLane, int lane, int earlierTime) {
    return earlierTime < allTogether || together.connects(earlierLane, lane, earlierTime);
  }

  /** Times and lanes of the last events, in a ring. */
  private static final class Log {
    private int @Nullable [] times;
    private int @Nullable [] masks;
    private int count;

    void add(int time, int mask) {
      if (times == null || masks == null) {
        times = new int[KEPT];
        masks = new int[KEPT];
      }
      times[count % KEPT] = time;
      masks[count % KEPT] = mask;
      count++;
    }

    /** Follows the events after a time from lane to lane. */
    boolean connects(int from, int to, int since) {
      if (times == null || masks == null) {
        return false;
      }
      int first = count;
      while (first > 0 && count - first < KEPT && times[(first - 1) % KEPT] > since) {
        first--;
      }
      int reached = 1 << from;
      for (int i = first; i < count; i++) {
        int mask = masks[i % KEPT];
        reached |= (mask & reached) != 0 ? mask : 0;
      }
      return (reached >>> to & 1) != 0;
    }
  }
}
