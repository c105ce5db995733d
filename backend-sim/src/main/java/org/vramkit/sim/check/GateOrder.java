package org.vramkit.sim.check;

/**
 * The order that a gate creates. Work that waits for the gate is ordered after everything that the
 * opening thread knows. This work is usually submitted before the gate opens, so its possible
 * hazards are kept until the gate opens. Work behind a gate that never opens never runs.
 */
public final class GateOrder {
  /** Knowledge of the thread that opened the gate. */
  public final HostClock left = new HostClock();

  /** Limit on the kept reports; the latest show whether there is a fault. */
  private static final int KEPT = 4096;

  private Ring<Runnable> pendingReports = new Ring<>(KEPT);
  private boolean open;

  public boolean isOpen() {
    return open;
  }

  public boolean covers(int slot, long epoch) {
    return open && left.covers(slot, epoch);
  }

  /** Keeps a report until the gate opens. */
  public void keep(Runnable report) {
    pendingReports.add(report);
  }

  /** Opens the gate with the knowledge of the opening thread. */
  public void open(HostClock known) {
    Ring<Runnable> kept = pendingReports;
    pendingReports = new Ring<>(KEPT);
    if (!open) {
      open = true;
      left.join(known);
    }
    kept.oldestFirst().forEach(Runnable::run);
  }
}
