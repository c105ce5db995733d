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

  /** What is found from now on is no report. */
  void mute() {
    muted = true;
  }

  boolean isMuted() {
    return muted;
  }

  /** Takes a report, in the order of what was found to be wrong. */
  void add(HazardReport report) {
    List<HazardReport> list = report.code().isWarning() ? warnings : hazards;
    if (!report.code().isWarning()) {
      count++;
    }
    if (list.size() < limit) {
      int at = list.size();
      while (at > 0 && list.get(at - 1).later().index() > report.later().index()) {
        at--;
      }
      list.add(at, report);
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
