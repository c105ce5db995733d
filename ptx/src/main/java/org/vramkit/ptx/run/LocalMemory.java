package org.vramkit.ptx.run;

import java.util.Arrays;

/** The local memory of a warp: one stack per lane, all of one size, which grows. */
public final class LocalMemory {
  /** Bytes that a thread may use, as on a GPU. */
  static final int MOST = 512 << 10;

  private static final int FIRST = 256;

  private final int laneCount;
  private int size;

  /** The stacks, one behind the other. */
  private byte[] bytes = new byte[0];

  /** One where a byte has been written. */
  private byte[] written = new byte[0];

  LocalMemory(int laneCount) {
    this.laneCount = laneCount;
  }

  /** Makes room for a stack of some bytes per lane. */
  void reserve(int top) {
    if (top <= size) {
      return;
    }
    int larger = Math.max(top, Math.max(FIRST, 2 * size));
    bytes = grow(bytes, larger);
    written = grow(written, larger);
    size = larger;
  }

  private byte[] grow(byte[] old, int larger) {
    byte[] grown = new byte[larger * laneCount];
    for (int lane = 0; lane < laneCount; lane++) {
      System.arraycopy(old, lane * size, grown, lane * larger, size);
    }
    return grown;
  }

  public byte[] bytes() {
    return bytes;
  }

  public int at(int lane, long address) {
    return lane * size + (int) address;
  }

  /** Notes that a lane has written bytes. */
  public void write(int at, int count) {
    for (int i = at; i < at + count; i++) {
      written[i] = 1;
    }
  }

  /** Returns whether all bytes have been written. */
  public boolean isWritten(int at, int count) {
    for (int i = at; i < at + count; i++) {
      if (written[i] == 0) {
        return false;
      }
    }
    return true;
  }

  /** Forgets what was written from an address on, in a new frame. */
  void clear(int mask, int from, int to) {
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      Arrays.fill(written, at(lane, from), at(lane, to), (byte) 0);
    }
  }

  /** Copies bytes of one frame to another, with the note of what is written. */
  public void copy(int mask, int from, int to, int count) {
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      System.arraycopy(bytes, at(lane, from), bytes, at(lane, to), count);
      System.arraycopy(written, at(lane, from), written, at(lane, to), count);
    }
  }
}
