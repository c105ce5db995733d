package org.vramkit.tools.page;

import java.util.List;

/**
 * Results to choose among, as points of a chart.
 *
 * @param name what was tried
 * @param facts how
 * @param points the results
 */
public record Front(String name, String facts, List<Point> points) {

  /** Copies the points. */
  public Front {
    points = List.copyOf(points);
  }

  /**
   * One result.
   *
   * @param name the options
   * @param facts the figures in words
   * @param reservedBytes most memory that was held
   * @param driverMillis time at the driver
   * @param best whether no other result is better in one figure and as good in the others
   * @param code how to get it
   */
  public record Point(
      String name,
      String facts,
      long reservedBytes,
      double driverMillis,
      boolean best,
      String code) {}
}
