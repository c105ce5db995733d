package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.List;

/**
 * What a gate orders: work that waits for it comes after all that whoever opens it knows by then.
 * Such work is mostly submitted before, so what is found wrong with it is kept until then. A gate
 * that stays closed says nothing: what waits for it never runs.
 */
public final class GateOrder {
  /** What whoever opened it knew. */
  public final HostClock left = new HostClock();

  private List<Runnable> accusations = new ArrayList<>(0);
  private boolean open;

  public boolean isOpen() {
    return open;
  }

  public boolean covers(int slot, long epoch) {
    return open && left.covers(slot, epoch);
  }

  /** Keeps until it is opened what tells of something wrong. */
  public void keep(Runnable accusation) {
    accusations.add(accusation);
  }

  /** It is opened by somebody who knows this. */
  public void open(HostClock known) {
    List<Runnable> kept = accusations;
    accusations = new ArrayList<>(0);
    if (!open) {
      open = true;
      left.join(known);
    }
    kept.forEach(Runnable::run);
  }
}
