package org.vramkit.ptx.report;

/** Three coordinates or extents, as CUDA's {@code dim3}: of a grid, a block or a thread. */
public record Dim3(int x, int y, int z) {
  /** Returns the product of the extents. */
  public long getCount() {
    return (long) x * y * z;
  }

  /** Returns the coordinates of a linear index within these extents; x is the fastest. */
  public Dim3 at(long index) {
    return new Dim3((int) (index % x), (int) (index / x % y), (int) (index / x / y));
  }

  @Override
  public String toString() {
    return "(" + x + "," + y + "," + z + ")";
  }
}
