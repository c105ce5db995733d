package org.vramkit.sim.check;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a gate orders: work that waits for it comes after all that whoever opens it knows by then.
 * Such work is mostly submitted before, so what is found wrong with it is kept until then. A gate
 * that stays closed says nothing: what waits for it never runs.
 */
public final class GateOrder {
  /** What whoever opened it knew. */
  public final HostClock left = new HostClock();

  /** How many accusations are kept; of more, the latest say whether there is a fault. */
  private static final int KEPT = 4096;

  private Deque<Runnable> pendingReports = new ArrayDeque<>(1);
  private boolean open;

  public boolean isOpen() {
    return open;
  }

  public boolean covers(int slot, long epoch) {
    return open && left.covers(slot, epoch);
  }

  /** Keeps until it is opened what tells of something wrong. */
  public void keep(Runnable report) {
    if (pendingReports.size() == KEPT) {
      pendingReports.remove();
    }
    pendingReports.add(report);
  }

  /** It is opened by somebody who knows this. */
  public void open(HostClock known) {
    Deque<Runnable> kept = pendingReports;
    pendingReports = new ArrayDeque<>(1);
    if (!open) {
      open = true;
      left.join(known);
    }
    kept.forEach(Runnable::run);
  }
}
