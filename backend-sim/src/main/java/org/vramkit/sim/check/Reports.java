package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.sim.hazard.HazardReport;

/** Keeps the first reports and counts them all. */
final class Reports {
  private final int limit;
  private final List<HazardReport> hazards = new ArrayList<>();
  private final List<HazardReport> warnings = new ArrayList<>();
  private long count;
  private boolean muted;

  Reports(int limit) {
    this.limit = limit;
  }

  /** Takes no more reports. */
  void mute() {
    muted = true;
  }

  void add(HazardReport report) {
    if (muted) {
      return;
    }
    List<HazardReport> list = report.code().isWarning() ? warnings : hazards;
    if (!report.code().isWarning()) {
      count++;
    }
    if (list.size() < limit) {
      list.add(report);
    }
  }

  /** Puts a report in the place of another, unless that is no longer kept. */
  void replace(HazardReport old, HazardReport better) {
    int at = hazards.lastIndexOf(old);
    if (at >= 0) {
      hazards.set(at, better);
    }
  }

  List<HazardReport> getHazards() {
    return List.copyOf(hazards);
  }

  List<HazardReport> getWarnings() {
    return List.copyOf(warnings);
  }

  long getCount() {
    return count;
  }

  void clear() {
    hazards.clear();
    warnings.clear();
    count = 0;
  }
}
