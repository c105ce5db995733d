package org.vramkit.api.device;

import org.vramkit.api.error.InvalidArgumentException;

/**
 * The extent of a grid in blocks, or of a block in threads.
 *
 * @param x the extent of the first dimension, at least 1
 * @param y the extent of the second dimension, at least 1
 * @param z the extent of the third dimension, at least 1
 */
public record Dim3(int x, int y, int z) {

  /** Checks that no extent is less than 1. */
  public Dim3 {
    if (x < 1 || y < 1 || z < 1) {
      throw new InvalidArgumentException(
          "a grid or block must have 1 or more in each dimension, not "
              + x
              + " x "
              + y
              + " x "
              + z
              + "; do not launch a kernel that has nothing to do");
    }
  }

  /** Returns an extent of one dimension. */
  public static Dim3 of(int x) {
    return new Dim3(x, 1, 1);
  }

  /** Returns an extent of two dimensions. */
  public static Dim3 of(int x, int y) {
    return new Dim3(x, y, 1);
  }

  /** Returns the product of the extents. */
  public long getCount() {
    return (long) x * y * z;
  }

  @Override
  public String toString() {
    return x + " x " + y + " x " + z;
  }
}
