package org.vramkit.ptx.check;

import java.util.Arrays;

/**
 * Numbers the strands of a launch. A strand is what a warp does between two events that order its
 * lanes or it with others: barriers, fences, collective functions, divergence.
 */
final class Strands {
  private int[] blocks = new int[1024];
  private int[] times = new int[1024];
  private byte[] warps = new byte[1024];
  private int count = 1;

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
