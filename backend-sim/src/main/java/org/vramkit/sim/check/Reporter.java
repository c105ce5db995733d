package org.vramkit.sim.check;

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

  /** Gives a report, unless they are muted. */
  void add(Found found) {
    Operation earlier = found.earlier();
    Operation later = found.later();
    if (reports.isMuted()) {
      return;
    }
    if (earlier == null || later == null) {
      reports.add(found.report());
    } else {
      reports.add(
          found.report(),
          Cause.of(found, earlier, later),
          new Cause.Launch(later.index(), earlier.stream));
    }
  }
}
