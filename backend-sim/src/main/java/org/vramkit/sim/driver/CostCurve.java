package org.vramkit.sim.driver;

import java.util.Arrays;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The time that a driver call keeps the host busy, as a function of its bytes. The curve is linear
 * between measured points, constant below the first point, and continues with the last slope beyond
 * the last point.
 */
public final class CostCurve {
  private final long[] sizes;
  private final long[] nanos;

  private CostCurve(long[] sizes, long[] nanos) {
    this.sizes = sizes;
    this.nanos = nanos;
  }

  /** Returns the same cost for every size, in nanoseconds, not negative. */
  public static CostCurve constant(long nanos) {
    return through(0, nanos);
  }

  /**
   * Returns a curve through points.
   *
   * @param sizesAndNanos bytes, nanoseconds, bytes, nanoseconds, ... with rising bytes
   * @throws InvalidArgumentException if the numbers are not pairs, the bytes do not rise, or a
   *     number is negative
   */
  public static CostCurve through(long... sizesAndNanos) {
    Objects.requireNonNull(sizesAndNanos, "sizesAndNanos");
    int points = sizesAndNanos.length / 2;
    long[] sizes = new long[points];
    long[] nanos = new long[points];
    boolean valid = points > 0 && sizesAndNanos.length % 2 == 0;
    for (int i = 0; i < points && valid; i++) {
      sizes[i] = sizesAndNanos[2 * i];
      nanos[i] = sizesAndNanos[2 * i + 1];
      valid = sizes[i] >= 0 && nanos[i] >= 0 && (i == 0 || sizes[i] > sizes[i - 1]);
    }
    if (!valid) {
      throw new InvalidArgumentException(
          "a cost curve needs pairs of bytes and nanoseconds, not negative, with rising bytes; got "
              + Arrays.toString(sizesAndNanos));
    }
    return new CostCurve(sizes, nanos);
  }

  /**
   * Returns the cost in nanoseconds of a call with this number of bytes; 0 for a call without a
   * size.
   */
  public long getNanos(long bytes) {
    int last = sizes.length - 1;
    if (last == 0 || bytes <= sizes[0]) {
      return nanos[0];
    }
    int right = 1;
    while (right < last && bytes > sizes[right]) {
      right++;
    }
    double slope = (nanos[right] - nanos[right - 1]) / (double) (sizes[right] - sizes[right - 1]);
    return Math.max(0, Math.round(nanos[right - 1] + slope * (bytes - sizes[right - 1])));
  }
}
