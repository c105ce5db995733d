package org.vramkit.sim.check.report;

import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.RunId;

/** Takes what rules find. */
public final class Reporter {
  private final Reports reports;
  final RunId run;
  final SyncLog syncs;

  public Reporter(Reports reports, RunId run, SyncLog syncs) {
    this.reports = reports;
    this.run = run;
    this.syncs = syncs;
  }

  /** Begins a report; it counts once {@link Finding#report} is called. */
  public Finding find(HazardCode code) {
    return new Finding(this, code);
  }

  public boolean isMuted() {
    return reports.isMuted();
  }

  /** Gives a report, unless it was found after they were muted. */
  public void add(Found found) {
    if (!isMuted()) {
      give(found);
    }
  }

  /** Gives a report that was found before they were muted. */
  public void give(Found found) {
    Operation earlier = found.earlier();
    Operation later = found.later();
    if (earlier == null || later == null) {
      reports.add(found.report());
    } else if (reports.add(
        found.report(),
        Cause.of(found, earlier, later),
        new Cause.Launch(later.index(), earlier.stream))) {
      syncs.reported(earlier, later, found.report());
    }
  }
}
