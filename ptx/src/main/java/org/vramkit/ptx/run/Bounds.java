package org.vramkit.ptx.run;

import java.util.Arrays;

/** The ranges of a space that variables occupy. Between them lie gaps that no access may touch. */
public final class Bounds {
  private long[] starts = new long[4];
  private long[] ends = new long[4];
  private int count;
  private int last;

  /** Adds a range behind all others. */
  public void add(long start, long bytes) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    starts[count] = start;
    ends[count++] = start + bytes;
  }

  public Bounds copy() {
    Bounds copy = new Bounds();
    copy.starts = starts.clone();
    copy.ends = ends.clone();
    copy.count = count;
    return copy;
  }

  /** Returns the number of the range with all bytes of an access; -1 if there is none. */
  public int find(long address, int bytes) {
    if (count == 0) {
      return -1;
    }
    int i = last;
    if (address < starts[i] || address >= ends[i]) {
      int found = Arrays.binarySearch(starts, 0, count, address);
      i = found >= 0 ? found : -found - 2;
      if (i < 0) {
        return -1;
      }
      last = i;
    }
    return address >= starts[i] && address <= ends[i] - bytes ? i : -1;
  }

  public long getStart(int range) {
    return starts[range];
  }

  public long getEnd(int range) {
    return ends[range];
  }
}
