package org.vramkit.tools.page;

import java.util.List;

/**
 * A chart of memory against driver time with a point for each tuning result.
 *
 * @param name the title
 * @param facts the conditions, in words
 * @param points the tuning results
 */
public record ParetoChart(String name, String facts, List<Point> points) {

  /** Copies the points. */
  public ParetoChart {
    points = List.copyOf(points);
  }

  /**
   * A tuning result.
   *
   * @param name the allocator's options
   * @param facts the figures in words
   * @param reservedBytes peak of reserved memory
   * @param driverMillis time of driver calls
   * @param best whether the result is on the Pareto front
   * @param code the builder call that creates the allocator
   */
  public record Point(
      String name,
      String facts,
      long reservedBytes,
      double driverMillis,
      boolean best,
      String code) {}
}
