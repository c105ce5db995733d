package org.vramkit.sim.check;

/**
 * The order that a gate creates. Work that waits for the gate is ordered after everything that the
 * opening thread knows. This work is usually submitted before the gate opens, so its possible
 * hazards are kept until the gate opens. Work behind a gate that never opens never runs.
 */
public final class GateOrder {
  /** Knowledge of the thread that opened the gate; empty while the gate is closed. */
  public final HostClock published = new HostClock();

  /** Limit on the kept checks. The latest are kept, and suffice to show a fault. */
  private static final int KEPT = 4096;

  private Ring<Runnable> pendingChecks = new Ring<>(KEPT);
  private boolean open;

  public boolean isOpen() {
    return open;
  }

  public boolean covers(int slot, long epoch) {
    return open && published.covers(slot, epoch);
  }

  /** Runs a check when the gate opens. */
  public void whenOpen(Runnable check) {
    pendingChecks.add(check);
  }

  /** Opens the gate with the knowledge of the opening thread. */
  public void open(HostClock known) {
    Ring<Runnable> kept = pendingChecks;
    pendingChecks = new Ring<>(KEPT);
    if (!open) {
      open = true;
      published.join(known);
    }
    kept.oldestFirst().forEach(Runnable::run);
  }
}
