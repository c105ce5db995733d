package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;

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

  /** Ranges to watch from the opening on; apart, so that many copies evict no check. */
  private Ring<Runnable> pendingWatches = new Ring<>(KEPT);

  private boolean open;

  /** The clock of the thread or host function that opened the gate; null while it is closed. */
  private @Nullable HostClock opener;

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

  /** Begins to watch a range when the gate opens. */
  void watchWhenOpen(Runnable watch) {
    pendingWatches.add(watch);
  }

  boolean isOpenedBy(HostClock known) {
    return opener == known;
  }

  /** Opens the gate with the knowledge of the opening thread. */
  void open(HostClock known) {
    Ring<Runnable> checks = pendingChecks;
    Ring<Runnable> watches = pendingWatches;
    pendingChecks = new Ring<>(KEPT);
    pendingWatches = new Ring<>(KEPT);
    if (!open) {
      open = true;
      opener = known;
      published.join(known);
    }
    checks.oldestFirst().forEach(Runnable::run);
    watches.oldestFirst().forEach(Runnable::run);
  }
}
