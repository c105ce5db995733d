package org.vramkit.ptx.check;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the strands of a launch. A strand is what a warp does between two events that order its
 * lanes or it with others: barriers, fences, collective functions, divergence.
 */
final class Strands {
  private int[] blocks = new int[1024];
  private int[] times = new int[1024];
  private byte[] warps = new byte[1024];
  private int count = 1;

  /**
   * Lanes whose asynchronous copies are under way, and those whose copies only a release orders;
   * created by the first copy.
   */
  private int @Nullable [] underWay;

  private int @Nullable [] handed;

  int add(int block, int warp, int time) {
    if (count == blocks.length) {
      blocks = Arrays.copyOf(blocks, 2 * count);
      times = Arrays.copyOf(times, 2 * count);
      warps = Arrays.copyOf(warps, 2 * count);
    }
    blocks[count] = block;
    times[count] = time;
    warps[count] = (byte) warp;
    return count++;
  }

  /** Adds a strand of copies that some lanes have begun. */
  int addUnderWay(int block, int warp, int lanes) {
    int strand = add(block, warp, Integer.MAX_VALUE);
    if (underWay == null || handed == null) {
      underWay = new int[times.length];
      handed = new int[times.length];
    } else if (strand >= underWay.length) {
      underWay = Arrays.copyOf(underWay, times.length);
      handed = Arrays.copyOf(handed, times.length);
    }
    underWay[strand] = lanes;
    return strand;
  }

  /** Ends the copies of some lanes; {@code byRelease} if only a release orders them from now on. */
  void land(int strand, int lanes, int time, boolean byRelease) {
    if (underWay != null && handed != null) {
      boolean all = underWay[strand] == lanes && times[strand] == Integer.MAX_VALUE;
      underWay[strand] &= ~lanes;
      handed[strand] |= byRelease ? all ? -1 : lanes : 0;
      times[strand] = Math.min(times[strand], time);
    }
  }

  /** Returns whether the copies of a lane are under way. */
  boolean isUnderWay(int strand, int lane) {
    int[] lanes = underWay;
    return lanes != null && strand < lanes.length && (lanes[strand] >>> lane & 1) != 0;
  }

  /** Returns whether only a release orders the copies of a lane. */
  boolean isHanded(int strand, int lane) {
    int[] lanes = handed;
    return lanes != null && strand < lanes.length && (lanes[strand] >>> lane & 1) != 0;
  }

  /** Returns whether what orders one lane's accesses of a strand orders those of all lanes. */
  boolean isUniform(int strand) {
    return underWay == null
        || handed == null
        || strand >= underWay.length
        || (underWay[strand] == 0 && (handed[strand] == 0 || handed[strand] == -1));
  }

  /** Returns the number of the block, in the order in which blocks started. */
  int block(int strand) {
    return blocks[strand];
  }

  int warp(int strand) {
    return warps[strand];
  }

  /** Returns the warp's time, which rises by one from strand to strand. */
  int time(int strand) {
    return times[strand];
  }
}
