package org.vramkit.sim.check.report;

import java.util.List;
import org.vramkit.api.units.Count;
import org.vramkit.sim.check.order.Order;
import org.vramkit.sim.check.order.Ring;
import org.vramkit.sim.check.order.StreamClock;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.NearestOrder;
import org.vramkit.sim.hazard.Shortfall;

/**
 * Watches the last unordered pairs after their report: where the wait that was missing comes all
 * the same, only later, the report is told. Waits of pools and of a test's end are none that
 * anybody could move. A nearer synchronisation found before is kept.
 */
public final class LateOrders {
  private static final class Pair {
    final Operation earlier;
    final Operation later;
    HazardReport report;
    boolean open;

    Pair(Operation earlier, Operation later, HazardReport report) {
      this.earlier = earlier;
      this.later = later;
      this.report = report;
      NearestOrder nearest = report.nearest();
      this.open = nearest == null || nearest.shortfall() == Shortfall.NOT_WAITED_FOR;
    }

    boolean isOrderedBy(StreamClock stream, Order point) {
      return open && later.stream == stream && isMeantFor(point);
    }

    /** One that comes after further work of the stream belongs to that: a next round's. */
    private boolean isMeantFor(Order point) {
      return point.covers(earlier) && !point.covers(earlier.slot(), earlier.epoch() + 1);
    }
  }

  private final Reports reports;
  private final Ring<Pair> pairs = new Ring<>();

  public LateOrders(Reports reports) {
    this.reports = reports;
  }

  public void watch(Operation earlier, Operation later, HazardReport report) {
    pairs.add(new Pair(earlier, later, report));
  }

  /** A stream, or the host as one, waited for a point; what it waited for is told in words. */
  public void waited(StreamClock stream, long operation, String what, Order point) {
    if (pairs.isEmpty()) {
      return;
    }
    for (Pair pair : pairs.latestFirst()) {
      if (pair.isOrderedBy(stream, point) && !Stacks.isLibraryCalling()) {
        pair.open = false;
        reports.replace(pair.report, pair.report.withNearest(late(pair, operation, what)));
      }
    }
  }

  private static NearestOrder late(Pair pair, long operation, String what) {
    long distance = operation - pair.later.index();
    String how = pair.report.later().kind().getNoun();
    return new NearestOrder(
        Shortfall.TOO_LATE,
        List.of(operation),
        "%s waited at operation %s for %s, %s after the %s: wait before it"
            .formatted(
                pair.later.stream.name, operation, what, Count.of(distance, "operation"), how));
  }
}
