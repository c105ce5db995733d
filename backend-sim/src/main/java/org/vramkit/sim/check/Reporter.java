package org.vramkit.sim.check;

import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.RunId;

/** Takes what rules find. */
final class Reporter {
  private final Reports reports;
  private final RunId run;
  private final SyncLog syncs;

  Reporter(Reports reports, RunId run, SyncLog syncs) {
    this.reports = reports;
    this.run = run;
    this.syncs = syncs;
  }

  /** Begins a report; it counts once {@link Finding#report} is called. */
  Finding find(HazardCode code) {
    return new Finding(this, code, run, syncs);
  }

  void add(HazardReport report) {
    reports.add(report);
  }
}
