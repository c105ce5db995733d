package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

/** Puts hazards into words. */
final class Reporter {
  private final Reports reports;
  private final long seed;

  Reporter(Reports reports, long seed) {
    this.reports = reports;
    this.seed = seed;
  }

  static Access access(Operation operation, AccessKind kind, long start, long end) {
    return new Access(
        operation.name(),
        operation.index(),
        operation.stream().getName(),
        kind,
        start,
        end - start,
        operation.stack());
  }

  void report(
      HazardCode code,
      int device,
      String memory,
      @Nullable Access earlier,
      Access later,
      long start,
      long end,
      String missing,
      String remedy) {
    reports.add(
        new HazardReport(
            code, seed, device, memory, start, end - start, earlier, later, missing, remedy));
  }

  /** Two accesses that nothing orders. */
  void unordered(
      HazardCode code,
      int device,
      String memory,
      Conflict conflict,
      Operation later,
      AccessKind kind,
      String remedy) {
    AccessKind earlierKind = conflict.wrote() ? AccessKind.WRITE : AccessKind.READ;
    report(
        code,
        device,
        memory,
        access(conflict.operation(), earlierKind, conflict.start(), conflict.end()),
        access(later, kind, conflict.start(), conflict.end()),
        conflict.start(),
        conflict.end(),
        noOrder(conflict.operation(), later),
        remedy);
  }

  static String noOrder(Operation earlier, Operation later) {
    return "nothing makes "
        + later.stream().getName()
        + " wait for operation "
        + earlier.index()
        + " of "
        + earlier.stream().getName();
  }
}
